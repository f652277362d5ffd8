#include "adassl/data/usual.h"

#include <algorithm>
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
