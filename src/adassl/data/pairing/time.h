#pragma once

#include <string>

#include "adassl/data/groups.h"
#include "adassl/data/pairing/pairing.h"

namespace adassl::data {

/// The sequences of the samples as groups that can be cut in time, for pairs at most `gap` apart.
Bonds bonds_in_time(const SampleSet& samples, double gap);

/// x+ comes some time after x in the same sequence:
///   low <= t(x+) - t(x) <= high,   uniform among the samples for which that holds
/// Times are rows, frames, or seconds where samples.time or samples.rate make them so. x is each
/// sample once in an epoch, if it has such a later sample.
class TimePairing final : public Pairing {
 public:
  struct Options {
    static constexpr std::string_view kName = "time";
    static constexpr std::string_view kSummary = "a later sample of the same sequence";
    std::string gap = "1";
    void visit(Fields& field) {
      field("gap", gap,
            "the time from x to x+, or its range, as in \"1-5\": rows, frames, or seconds where "
            "samples.time or samples.rate say so");
    }
  };
  TimePairing(const Options& options, const PairingContext& context);

  Bonds bonds() const override;
  void use(std::span<const int64_t> members) override;
  int64_t count() const override { return static_cast<int64_t>(anchors_.size()); }
  Pair pair(int64_t k, random::Sequence& draws) const override;
  std::string remark() const override { return remark_; }

 private:
  const SampleSet& samples_;
  double low_ = 1;
  double high_ = 1;
  std::vector<int64_t> ordered_;  // by sequence, then by time
  struct Anchor {
    int64_t at, first, last;  // places in `ordered_`; candidates are first ... last - 1
  };
  std::vector<Anchor> anchors_;
  std::string remark_;
};

/// The two numbers of "1-5", or "3" twice. Error if they are not a range above 0.
std::pair<double, double> parse_gap(const std::string& text);

}  // namespace adassl::data
