#include "adassl/study/nearest_samples.h"

#include <algorithm>
#include <cmath>

#include "adassl/kernels/nearest.h"
#include "adassl/study/sample_named.h"

namespace adassl::study {
namespace {

std::vector<float> picked(const Array& rows, const std::vector<int64_t>& chosen) {
  std::vector<float> out;
  for (const int64_t i : chosen) {
    const auto first = rows.values.begin() + i * rows.columns();
    out.insert(out.end(), first, first + rows.columns());
  }
  return out;
}

}  // namespace

std::vector<int64_t> asked_rows(const SeenSamples& samples, const std::vector<std::string>& queries,
                                int64_t rows, const std::string& where) {
  const auto count = static_cast<int64_t>(samples.usable.size());
  std::vector<data::Unusable> unusable;
  for (const auto& one : samples.set->rejected()) unusable.push_back({one.name, one.reason});
  std::vector<int64_t> out;
  for (const std::string& query : queries) {
    const int64_t sample = sample_named(*samples.set, unusable, query, where);
    out.push_back(std::ranges::lower_bound(samples.usable, sample) - samples.usable.begin());
  }
  if (!out.empty()) return out;
  const int64_t asked = std::min(rows, count);
  for (int64_t i = 0; i < asked; ++i) out.push_back(i * count / asked);
  return out;
}

void normalise_rows(Array& rows) {
  for (int64_t i = 0; i < rows.rows(); ++i) {
    const std::span<float> row = row_of(rows, i);
    double square = 0;
    for (const float value : row) square += static_cast<double>(value) * value;
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (float& value : row) value = static_cast<float>(value * scale);
  }
}

std::vector<std::vector<Nearest::Other>> nearest_others(const SeenSamples& samples,
                                                        const Array& rows,
                                                        std::span<const float> queries,
                                                        std::span<const int64_t> self,
                                                        int64_t count) {
  // One more than wanted, because the nearest one may be the sample itself.
  const auto found =
      kernels::nearest_rows({queries, rows.columns()}, {rows.values, rows.columns()}, count + 1);
  std::vector<std::vector<Nearest::Other>> out(self.size());
  for (size_t q = 0; q < self.size(); ++q) {
    for (const kernels::Neighbour& other : found[q]) {
      if (other.row == self[q] || std::ssize(out[q]) == count) continue;
      out[q].push_back({samples.usable[static_cast<size_t>(other.row)], other.similarity});
    }
  }
  return out;
}

std::vector<Nearest> nearest_samples(const Restored& model, const SeenSamples& samples,
                                     const NearestOptions& options) {
  const std::vector<int64_t> asked =
      asked_rows(samples, options.queries, options.rows, "neighbours");
  Array rows = all_rows(model, samples, options.output);
  normalise_rows(rows);
  auto found = nearest_others(samples, rows, picked(rows, asked), asked, options.count);
  std::vector<Nearest> out;
  for (size_t q = 0; q < asked.size(); ++q) {
    out.push_back({samples.usable[static_cast<size_t>(asked[q])], std::move(found[q])});
  }
  return out;
}

}  // namespace adassl::study
