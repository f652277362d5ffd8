#include "adassl/data/pair_changes.h"

#include <cmath>
#include <numbers>

#include "adassl/data/order.h"

namespace adassl::data {
namespace {

std::vector<Pair> training_pairs(const Files& files, uint64_t seed, int64_t most) {
  const int64_t count = files.pairing().count();
  const random::Stream stream(seed, "pair changes");
  const KeyedPermutation shuffled(count, stream.named("order"));
  std::vector<Pair> out;
  for (int64_t k = 0; k < std::min(count, most); ++k) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(k));
    out.push_back(files.pairing().pair(shuffled(k), draws));
  }
  return out;
}

/// The difference of two values: 1 or 0 for classes; angles are in radians and go round.
double difference(const Column& column, double from, double to) {
  if (!column.is_factor()) return from == to ? 0 : 1;
  return column.kind == Column::Kind::kAngle ? std::remainder(to - from, 2 * std::numbers::pi)
                                             : to - from;
}

/// The values of a column for both samples of each pair.
struct Values {
  std::vector<double> x, x_plus;
  double deviation = 0;
  bool complete = true;
};

Values values_of(const GroundTruth& truth, size_t c, const std::vector<Pair>& pairs) {
  Values out;
  double mean = 0, square = 0;
  const auto count = static_cast<double>(2 * pairs.size());
  for (const Pair& pair : pairs) {
    out.x.push_back(truth.value(c, pair.x));
    out.x_plus.push_back(truth.value(c, pair.x_plus));
    mean += (out.x.back() + out.x_plus.back()) / count;
  }
  for (const auto* values : {&out.x, &out.x_plus}) {
    for (const double value : *values) {
      square += (value - mean) * (value - mean) / count;
      out.complete = out.complete && std::isfinite(value);
    }
  }
  out.deviation = std::sqrt(square);
  return out;
}

/// The mean difference of x of each pair and x+ of the pair `shift` further.
double mean_difference(const Column& column, const Values& values, size_t shift) {
  const size_t count = values.x.size();
  double sum = 0;
  for (size_t k = 0; k < count; ++k) {
    const double d = difference(column, values.x[k], values.x_plus[(k + shift) % count]);
    sum += d * d;
  }
  const double mean = sum / static_cast<double>(count);
  return column.is_factor() ? std::sqrt(mean) / values.deviation : mean;
}

}  // namespace

PairChanges pair_changes(const Files& files, uint64_t seed, int64_t most) {
  const GroundTruth truth =
      ground_truth(files.sample_set().columns(), files.sample_set().declared());
  const std::vector<Pair> pairs = training_pairs(files, seed, most);
  PairChanges out{.pairs = static_cast<int64_t>(pairs.size())};
  std::vector<size_t> differing(pairs.size());
  const size_t other = std::max<size_t>(1, pairs.size() / 2);
  size_t classes = 0;
  for (size_t c = 0; c < truth.columns.size(); ++c) {
    const Column& column = truth.columns[c];
    const Values values = values_of(truth, c, pairs);
    if (!values.complete || !(values.deviation > 0)) continue;
    out.columns.push_back(
        {column, mean_difference(column, values, 0), mean_difference(column, values, other)});
    if (column.is_factor()) continue;
    ++classes;
    for (size_t k = 0; k < pairs.size(); ++k) {
      if (values.x[k] != values.x_plus[k]) ++differing[k];
    }
  }
  if (classes == 0) return out;
  out.counts.resize(classes + 1);
  for (const size_t n : differing) ++out.counts[n];
  return out;
}

}  // namespace adassl::data
