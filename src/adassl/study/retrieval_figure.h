#pragma once

#include <vector>

#include "adassl/evaluation/queries.h"
#include "adassl/report/retrieval.h"

/// Turns the results of retrieval into a figure.
namespace adassl::study {

/// The queries that are shown: the first future of some sources, one in each row of the figure. The
/// futures of a source are independent draws, so the first one is as good as any other.
struct ShownQueries {
  std::vector<int64_t> sources;  // rows of x
  std::vector<int64_t> truths;   // rows of x_plus, and of the queries
};

/// The queries of up to `count` sources from `first` on. Error if there is no source `first`.
ShownQueries shown_queries(const evaluation::RetrievalOptions& options, int64_t first,
                           int64_t count);

/// The figure without the columns of models.
report::RetrievalFigure make_figure(const Futures& futures, const ShownQueries& shown);

/// The results of one model: for each query its `top` nearest clips, all with different pixels. The
/// label is left empty; the note states the mean reciprocal rank over all queries.
report::RetrievalColumn make_column(const evaluation::RetrievalQueries& asked,
                                    const ShownQueries& shown, int64_t top);

}  // namespace adassl::study
