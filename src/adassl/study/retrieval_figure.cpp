#include "adassl/study/retrieval_figure.h"

#include <algorithm>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/evaluation/retrieval.h"

namespace adassl::study {
namespace {

/// A copy of these rows of an array, in this order.
Array rows_of(const Array& x, const std::vector<int64_t>& rows) {
  Array out{x.shape, {}};
  out.shape[0] = static_cast<int64_t>(rows.size());
  for (const int64_t row : rows) {
    const auto first = x.values.begin() + row * x.columns();
    out.values.insert(out.values.end(), first, first + x.columns());
  }
  return out;
}

/// "(+0.4, -1.2)"
std::string change_text(const Array& change, int64_t row) {
  std::string out;
  for (int64_t k = 0; k < change.columns(); ++k) {
    const float value = change.values[static_cast<size_t>(row * change.columns() + k)];
    out += fmt::format("{}{:+.1f}", k == 0 ? "" : ", ", value + 0.0F);
  }
  return "(" + out + ")";
}

}  // namespace

ShownQueries shown_queries(const evaluation::RetrievalOptions& options, int64_t first,
                           int64_t count) {
  ADASSL_CHECK(first < options.sources, "[retrieve] --clip: expected less than the ",
               options.sources, " of the run's evaluate.retrieval.sources, got ", first);
  ShownQueries out;
  for (int64_t s = first; s < std::min(options.sources, first + count); ++s) {
    out.sources.push_back(s);
    out.truths.push_back(s * options.futures);
  }
  return out;
}

report::RetrievalFigure make_figure(const Futures& futures, const ShownQueries& shown) {
  report::RetrievalFigure figure;
  figure.past = rows_of(futures.x, shown.sources);
  figure.truth = rows_of(futures.x_plus, shown.truths);
  figure.pool = futures.x_plus.rows();
  if (futures.change.empty()) return figure;
  for (const int64_t row : shown.truths) {
    figure.changes.push_back(change_text(futures.change, row));
  }
  return figure;
}

report::RetrievalColumn make_column(const evaluation::RetrievalQueries& asked,
                                    const ShownQueries& shown, int64_t top) {
  const evaluation::Ranks ranks = evaluation::rank(asked);
  const Tensor nearest = evaluation::closest(asked.queries, asked.pool.embeddings, top);
  const evaluation::DistinctRows& distinct = asked.pool.distinct;
  report::RetrievalColumn column;
  std::vector<int64_t> rows;
  for (const int64_t query : shown.truths) {
    for (int64_t k = 0; k < nearest.size(1); ++k) {
      const auto kind = static_cast<size_t>(nearest[query][k].item<int64_t>());
      rows.push_back(distinct.first_row[kind]);
      column.copies.push_back(distinct.copies[kind]);
    }
    column.ranks.push_back(static_cast<int64_t>(ranks.optimistic[query].item<double>()));
    column.worst_ranks.push_back(static_cast<int64_t>(ranks.pessimistic[query].item<double>()));
  }
  column.found = rows_of(asked.futures.x_plus, rows);
  column.note = fmt::format("MRR {:.4f}", evaluation::mean_reciprocal(ranks.optimistic));
  return column;
}

}  // namespace adassl::study
