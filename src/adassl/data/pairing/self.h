#pragma once

#include "adassl/data/pairing/pairing.h"

namespace adassl::data {

/// Standard pairs: x and x+ are two views of the same sample.
class SelfPairing final : public Pairing {
 public:
  struct Options {
    static constexpr std::string_view kName = "self";
    static constexpr std::string_view kSummary = "two views of one sample (standard pairs)";
    void visit(Fields&) {}
  };
  SelfPairing(const Options&, const PairingContext&) {}

  void use(std::span<const int64_t> members) override {
    members_.assign(members.begin(), members.end());
  }
  int64_t count() const override { return static_cast<int64_t>(members_.size()); }
  Pair pair(int64_t k, random::Sequence& /*draws*/) const override {
    const int64_t sample = members_[static_cast<size_t>(k)];
    return {sample, sample};
  }
  bool changes() const override { return false; }

 private:
  std::vector<int64_t> members_;
};

}  // namespace adassl::data
