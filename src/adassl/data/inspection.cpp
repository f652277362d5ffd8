#include "adassl/data/inspection.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "adassl/data/order.h"

namespace adassl::data {
namespace {

constexpr int64_t kCompared = 512;
constexpr int64_t kComparedColumns = 4096;  // pairs of which only the columns are looked at
constexpr size_t kShownSets = 10;
constexpr double kManyFalseNegatives = 0.1;
constexpr double kUsualTolerance = 0.01;  // the default of samples.tolerate

int64_t pairs_among(int64_t size) { return size * (size - 1) / 2; }

void look_at_groups(const Files& files, Inspection& out) {
  std::map<int64_t, int64_t> sizes;
  for (const int64_t i : files.split().train) {
    if (const int64_t g = files.pairing().group_of(i); g >= 0) ++sizes[g];
  }
  std::vector<int64_t> numbers;
  double own = 0;
  const auto count = static_cast<double>(files.split().train.size());
  for (const auto& [group, size] : sizes) {
    numbers.push_back(size);
    own += static_cast<double>(size) * static_cast<double>(size - 1);
  }
  out.groups = static_cast<int64_t>(numbers.size());
  if (!numbers.empty()) {
    const Spread& size = out.group_sizes = spread_of(std::move(numbers));
    out.group_pairs = {pairs_among(size.least), pairs_among(size.median), pairs_among(size.most)};
  }
  if (count > 1) out.false_negatives = own / (count * (count - 1));
}

void look_at_sizes(const SampleSet& set, Inspection& out) {
  if (set.pictures() == 0) return;
  std::vector<int64_t> widths, heights;
  for (const int64_t i : usable_samples(set, set.rejected())) {
    const auto [width, height] = set.extent(i);
    widths.push_back(width);
    heights.push_back(height);
  }
  out.width = spread_of(std::move(widths));
  out.height = spread_of(std::move(heights));
}

void look_for_duplicates(const Files& files, Inspection& out) {
  const SampleSet& set = files.sample_set();
  std::vector<std::pair<uint64_t, int64_t>> contents;
  for (const int64_t i : usable_samples(set, set.rejected())) {
    if (const uint64_t content = set.content(i); content != 0) contents.emplace_back(content, i);
  }
  std::ranges::sort(contents);
  for (size_t begin = 0; begin < contents.size();) {
    size_t end = begin;
    while (end < contents.size() && contents[end].first == contents[begin].first) ++end;
    out.duplicates += static_cast<int64_t>(end - begin) - 1;
    if (end - begin > 1 && out.equal_sets.size() < kShownSets) {
      auto& names = out.equal_sets.emplace_back();
      for (size_t k = begin; k < std::min(end, begin + kShownSets); ++k) {
        names.push_back(set.name(contents[k].second));
      }
    }
    begin = end;
  }
}

double distance(const Array& a, int64_t i, const Array& b, int64_t j) {
  const auto width = static_cast<size_t>(a.columns());
  double square = 0;
  for (size_t k = 0; k < width; ++k) {
    const size_t at = static_cast<size_t>(i) * width + k, to = static_cast<size_t>(j) * width + k;
    const double difference = a.bytes.empty() ? static_cast<double>(a.values[at]) - b.values[to]
                                              : static_cast<double>(a.bytes[at]) - b.bytes[to];
    square += difference * difference;
  }
  return std::sqrt(square / static_cast<double>(width));
}

/// The pair after pair k whose x+ is as good as a random sample for x of pair k: of another group,
/// where there are groups and others of them, and neither x itself nor its own x+.
size_t stranger(const Files& files, const std::vector<int64_t>& x,
                const std::vector<int64_t>& x_plus, size_t k) {
  const int64_t own = files.pairing().group_of(x[k]);
  for (size_t further = 1; further < x.size(); ++further) {
    const size_t at = (k + further) % x.size();
    const bool same_group = own >= 0 && files.pairing().group_of(x_plus[at]) == own;
    if (!same_group && x_plus[at] != x[k] && x_plus[at] != x_plus[k]) return at;
  }
  return (k + 1) % x.size();
}

void compare_pairs(const Files& files, uint64_t seed, Inspection& out) {
  const int64_t count = files.pairing().count();
  out.compared = std::min(count, kCompared);
  const random::Stream stream(seed, "inspection");
  const KeyedPermutation shuffled(count, stream.named("order"));
  std::vector<int64_t> x, x_plus;
  for (int64_t k = 0; k < out.compared; ++k) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(k));
    const Pair pair = files.pairing().pair(shuffled(k), draws);
    x.push_back(pair.x);
    x_plus.push_back(pair.x_plus);
  }
  const Array first = files.seen_plainly(x), second = files.seen_plainly(x_plus);
  const auto all = static_cast<double>(out.compared);
  for (int64_t k = 0; k < out.compared; ++k) {
    const double own = distance(first, k, second, k);
    out.pair_distance += own / all;
    out.identical += own == 0 ? 1 / all : 0;
    const size_t other = stranger(files, x, x_plus, static_cast<size_t>(k));
    out.random_distance += distance(first, k, second, static_cast<int64_t>(other)) / all;
  }
}

void warn(const Files& files, Inspection& out) {
  if (const double tolerance = needed_tolerance(out); tolerance > 0) {
    out.warnings.push_back(
        fmt::format("{} of {} samples are unusable; training needs samples.tolerate={:.2g}",
                    out.unusable.size(), out.samples, tolerance));
  }
  if (files.pairing().changes() && out.identical > 0) {
    out.warnings.push_back(fmt::format(
        "{:.1f} % of the pairs are two identical samples: duplicates teach nothing about change",
        100 * out.identical));
  }
  if (files.pairing().changes() && out.compared > 1 && out.pair_distance >= out.random_distance) {
    out.warnings.emplace_back(
        "the two samples of a pair are no closer to each other than random ones, pixel by pixel or "
        "number by number: is the pairing the one you mean?");
  }
  if (out.false_negatives > kManyFalseNegatives) {
    out.warnings.push_back(fmt::format(
        "{:.0f} % of an anchor's negatives belong to its own group: a contrastive loss pushes them "
        "apart; smaller groups or objective.kind=distillation avoid that",
        100 * out.false_negatives));
  }
  if (!out.remark.empty()) out.warnings.push_back(out.remark);
  for (const std::string& remark : files.sample_set().remarks()) out.warnings.push_back(remark);
  for (const std::string& remark : files.split().remarks) out.warnings.push_back(remark);
}

}  // namespace

Spread spread_of(std::vector<int64_t> numbers) {
  std::ranges::sort(numbers);
  return {numbers.front(), numbers[numbers.size() / 2], numbers.back()};
}

double needed_tolerance(const Inspection& found) {
  const auto share =
      static_cast<double>(found.unusable.size()) / static_cast<double>(found.samples);
  return share > kUsualTolerance ? std::ceil(share * 100) / 100 : 0;
}

Inspection inspect(const Files& files, uint64_t seed) {
  const SampleSet& set = files.sample_set();
  Inspection out;
  out.samples = set.count();
  out.pictures = set.pictures();
  out.unusable = files.unusable();
  look_at_sizes(set, out);
  out.pairs = files.pairing().count();
  out.remark = files.pairing().remark();
  look_at_groups(files, out);
  look_for_duplicates(files, out);
  compare_pairs(files, seed, out);
  if (files.pairing().changes()) out.changes = pair_changes(files, seed, kComparedColumns);
  warn(files, out);
  return out;
}

}  // namespace adassl::data
