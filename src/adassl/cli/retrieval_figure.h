#pragma once

#include <vector>

#include "adassl/evaluation/queries.h"
#include "adassl/report/retrieval.h"

/// From what retrieval finds to what is drawn of it.
namespace adassl::cli {

/// The queries that are shown: the first future of some sources, one a row. The futures of a source
/// are independent draws, so the first one is as good as any other.
struct ShownQueries {
  std::vector<int64_t> sources;  // rows of x
  std::vector<int64_t> truths;   // rows of x_plus, and of the queries
};

/// From source `first` on, at most as many as there are. Error when it is not there.
ShownQueries shown_queries(const evaluation::RetrievalOptions& options, int64_t first,
                           int64_t count);

/// The figure without any model yet.
report::RetrievalFigure make_figure(const Futures& futures, const ShownQueries& shown);

/// What one model finds: its `top` nearest clips, each of other pixels. The label is left empty,
/// the note tells the mean reciprocal rank of all queries.
report::RetrievalColumn make_column(const evaluation::RetrievalQueries& asked,
                                    const ShownQueries& shown, int64_t top);

}  // namespace adassl::cli
