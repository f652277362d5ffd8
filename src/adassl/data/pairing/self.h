#pragma once

#include "adassl/data/pairing/pairing.h"

namespace adassl::data {

/// Standard pairs: x and x+ are two views of the same sample. Pair k of an epoch is sample k mod N,
/// so an epoch may be longer than there are samples, such as that of other pairs of the same data.
class SelfPairing final : public Pairing {
 public:
  struct Options {
    static constexpr std::string_view kName = "self";
    static constexpr std::string_view kSummary = "two views of one sample (standard pairs)";
    int64_t epoch = 0;
    void visit(Fields& field) {
      field("epoch", epoch, "pairs in an epoch; 0: one for each sample", {0, 4e9});
    }
  };
  SelfPairing(const Options& options, const PairingContext&) : epoch_(options.epoch) {}

  void use(std::span<const int64_t> members) override {
    members_.assign(members.begin(), members.end());
  }
  int64_t count() const override {
    return epoch_ == 0 || members_.empty() ? static_cast<int64_t>(members_.size()) : epoch_;
  }
  Pair pair(int64_t k, random::Sequence& /*draws*/) const override {
    const int64_t sample = members_[static_cast<size_t>(k) % members_.size()];
    return {sample, sample};
  }
  bool changes() const override { return false; }

 private:
  int64_t epoch_;
  std::vector<int64_t> members_;
};

}  // namespace adassl::data
