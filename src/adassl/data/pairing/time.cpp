#include "adassl/data/pairing/time.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/storage/csv.h"

namespace adassl::data {

std::pair<double, double> parse_gap(const std::string& text) {
  double low = 0, high = 0;
  bool good = storage::parse_number(text, low);
  if (good) high = low;
  // A dash divides a range only if there are numbers on both sides of it: "1e-3-5e-3" has three.
  for (size_t dash = text.find('-', 1); !good && dash != std::string::npos;
       dash = text.find('-', dash + 1)) {
    good = storage::parse_number(text.substr(0, dash), low) &&
           storage::parse_number(text.substr(dash + 1), high);
  }
  ADASSL_CHECK(good && low > 0 && low <= high,
               "[pairing.gap] expected a time above 0 such as \"1\" or a range such as ",
               "\"1-5\", got '", text, "'");
  return {low, high};
}

TimePairing::TimePairing(const Options& options, const PairingContext& context)
    : samples_(context.samples) {
  std::tie(low_, high_) = parse_gap(options.gap);
  ADASSL_CHECK(samples_.has_time(), "[pairing] time: expected samples in sequences; ",
               "samples.sequence=folder takes each folder as one, in the order of the names");
}

Bonds bonds_in_time(const SampleSet& samples, double gap) {
  Bonds out{.in_time = true, .gap = gap};
  for (int64_t i = 0; i < samples.count(); ++i) {
    out.group.push_back(samples.sequence(i));
    out.groups = std::max<int64_t>(out.groups, samples.sequence(i) + 1);
  }
  return out;
}

Bonds TimePairing::bonds() const { return bonds_in_time(samples_, high_); }

void TimePairing::use(std::span<const int64_t> members) {
  ordered_.clear();
  for (const int64_t sample : members) {
    if (samples_.sequence(sample) >= 0) ordered_.push_back(sample);
  }
  const auto before = [&](int64_t a, int64_t b) {
    if (samples_.sequence(a) != samples_.sequence(b)) {
      return samples_.sequence(a) < samples_.sequence(b);
    }
    return samples_.time(a) != samples_.time(b) ? samples_.time(a) < samples_.time(b) : a < b;
  };
  std::ranges::sort(ordered_, before);
  anchors_.clear();
  int64_t first = 0, last = 0;  // both only move forward
  const auto size = static_cast<int64_t>(ordered_.size());
  // Times such as 0.1 and 0.3 are rounded; a gap of 0.2 should still be met.
  const double slack = 1e-9 * high_;
  for (int64_t at = 0; at < size; ++at) {
    const int64_t x = ordered_[static_cast<size_t>(at)];
    const auto within = [&](int64_t place, double limit) {
      if (place >= size) return false;
      const int64_t y = ordered_[static_cast<size_t>(place)];
      if (samples_.sequence(y) != samples_.sequence(x))
        return samples_.sequence(y) < samples_.sequence(x);
      return samples_.time(y) - samples_.time(x) < limit;
    };
    first = std::max(first, at + 1);
    while (within(first, low_ - slack)) ++first;
    last = std::max(last, first);
    while (within(last, high_ + slack)) ++last;
    if (last > first) anchors_.push_back({at, first, last});
  }
  const int64_t without = static_cast<int64_t>(members.size()) - count();
  remark_ = without == 0 ? ""
                         : join(without, without == 1 ? " sample has" : " samples have",
                                " no later sample at this gap");
}

Pair TimePairing::pair(int64_t k, random::Sequence& draws) const {
  const Anchor& anchor = anchors_[static_cast<size_t>(k)];
  const auto choice =
      static_cast<int64_t>(anchor.last - anchor.first == 1
                               ? 0
                               : draws.below(static_cast<uint64_t>(anchor.last - anchor.first)));
  return {ordered_[static_cast<size_t>(anchor.at)],
          ordered_[static_cast<size_t>(anchor.first + choice)]};
}

}  // namespace adassl::data
