#pragma once

#include <string>

#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/gallery.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

using RetrievalOptions = parts::RetrievalOptions;

/// Queries of a pool of futures. The correct answer to query i is row i of futures.x_plus.
struct RetrievalQueries {
  Futures futures;
  Gallery pool;    // of all futures.x_plus
  Tensor queries;  // [S n, d] unit rows, double precision
};

/// Why retrieval does not apply; empty if it applies.
std::string obstacle_to_retrieval(const Subject& subject);

/// Makes queries from the true changes: predict(encode(x), r), where a map that is trained here
/// turns the change into r. May only be called if there is no obstacle.
RetrievalQueries retrieval_queries(const Subject& subject, const RetrievalOptions& options);

}  // namespace adassl::evaluation
