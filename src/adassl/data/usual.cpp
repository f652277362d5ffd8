#include "adassl/data/usual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "adassl/core/error.h"

namespace adassl::data {

std::string usual_pairing(const std::string& kind, const SampleSet& samples) {
  if (kind == "clips") return "time";
  const DataColumn* folder = find_column(samples.columns(), "folder");
  if (folder == nullptr || folder->words.size() < 2) return "self";
  const auto files = static_cast<double>(samples.count());
  return files >= 2 * static_cast<double>(folder->words.size()) ? "group" : "self";
}

Moments moments_of(const Arrays& samples, std::span<const int64_t> among) {
  constexpr int64_t kMostSamples = 10'000, kMostNumbers = 1 << 24, kMostChannels = 4096;
  const std::vector<int64_t> shape = samples.shape();
  const int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies());
  const auto channels = static_cast<size_t>(samples.width() > kMostChannels ? 1 : samples.width());
  const auto all = static_cast<int64_t>(among.size());
  const int64_t looked = std::min({all, kMostSamples, std::max<int64_t>(kMostNumbers / size, 16)});
  Moments out{std::vector<double>(channels), std::vector<double>(channels)};
  std::vector<float> numbers(static_cast<size_t>(size));
  double count = 0;  // of numbers of a channel
  for (int64_t k = 0; k < looked; ++k) {
    samples.fetch_row(among[static_cast<size_t>(k * all / looked)], numbers);
    for (size_t i = 0; i < numbers.size(); ++i) {  // Welford's method
      const size_t c = i % channels;
      if (c == 0) ++count;
      const double difference = numbers[i] - out.mean[c];
      out.mean[c] += difference / count;
      out.deviation[c] += difference * (numbers[i] - out.mean[c]);
    }
  }
  for (size_t c = 0; c < channels; ++c) {
    const double deviation = std::sqrt(out.deviation[c] / std::max(count, 1.0));
    const double rounding = std::numeric_limits<float>::epsilon() * std::abs(out.mean[c]);
    out.deviation[c] = deviation > rounding ? deviation : 1;
  }
  return out;
}

int64_t typical_side(const SampleSet& samples) {
  constexpr int64_t kLooked = 15;
  std::set<int64_t> rejected;
  for (const auto& one : samples.rejected()) rejected.insert(one.sample);
  std::vector<int64_t> sides;
  for (int64_t i = 0; i < kLooked; ++i) {
    const int64_t sample = i * samples.count() / kLooked;
    if (rejected.contains(sample)) continue;
    const auto picture = samples.fetch_picture(sample, 0);
    sides.push_back(std::min(picture.width, picture.height));
  }
  if (sides.empty()) return 64;
  std::ranges::nth_element(sides, sides.begin() + static_cast<int64_t>(sides.size() / 2));
  return sides[sides.size() / 2];
}

}  // namespace adassl::data
