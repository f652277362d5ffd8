#include "adassl/data/pairing/neighbour.h"

#include <cmath>

#include "adassl/core/error.h"

namespace adassl::data {

NeighbourPairing::NeighbourPairing(const Options& options, const PairingContext& context)
    : options_(options), samples_(context.samples) {
  ADASSL_CHECK(!options.columns.empty(),
               "[pairing] neighbour: expected pairing.columns=[\"...\"], got none");
  for (const std::string& name : options.columns) {
    const DataColumn& column = require_column(context.samples.columns(), name, "pairing.columns");
    ADASSL_CHECK(!column.is_text(), "[pairing.columns] expected columns of numbers, got '", name,
                 "' with words such as '", column.words.front(), "'");
    columns_.push_back(&column);
  }
}

void NeighbourPairing::use(std::span<const int64_t> members) {
  members_.assign(members.begin(), members.end());
  std::vector<double> scales;
  for (const DataColumn* column : columns_) {
    const double spread = options_.standardise ? deviation(*column, members) : 1;
    scales.push_back(spread > 0 ? 1 / spread : 1);
  }
  std::vector<float> points;
  points.reserve(members.size() * columns_.size());
  for (const int64_t sample : members) {
    for (size_t c = 0; c < columns_.size(); ++c) {
      const double value = columns_[c]->numbers[static_cast<size_t>(sample)];
      points.push_back(static_cast<float>(value * scales[c]));
      // No sample is nearest to a point that is not finite. Large numbers are not finite as floats.
      ADASSL_CHECK(std::isfinite(static_cast<float>(value)) && std::isfinite(points.back()),
                   "[pairing.columns] expected finite numbers, got ", value, " in column '",
                   columns_[c]->name, "' of '", samples_.name(sample), "'");
    }
  }
  tree_ = std::make_unique<KdTree>(std::move(points), static_cast<int64_t>(columns_.size()));
}

Pair NeighbourPairing::pair(int64_t k, random::Sequence& draws) const {
  const std::span<const float> own = tree_->point(k);
  auto donor = static_cast<int64_t>(draws.below(static_cast<uint64_t>(tree_->count() - 1)));
  if (donor >= k) ++donor;
  const std::span<const float> other = tree_->point(donor);
  std::vector<float> wanted(own.begin(), own.end());
  for (size_t c = 0; c < wanted.size(); ++c) {
    if (draws.bernoulli(options_.redraw)) wanted[c] = other[c];
  }
  const int64_t nearest = tree_->nearest(wanted, k);
  return {members_[static_cast<size_t>(k)], members_[static_cast<size_t>(nearest)]};
}

}  // namespace adassl::data
