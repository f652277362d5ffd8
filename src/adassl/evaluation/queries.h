#pragma once

#include <string>

#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/gallery.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

using RetrievalOptions = parts::RetrievalOptions;

/// What retrieval asks a pool of futures. Query i seeks row i of futures.x_plus.
struct RetrievalQueries {
  Futures futures;
  Gallery pool;    // of all futures.x_plus
  Tensor queries;  // [S n, d] unit rows, double precision
};

/// Why nothing can be retrieved; empty where it can.
std::string obstacle_to_retrieval(const Subject& subject);

/// Predictions with the true changes: predict(encode(x), r), with r from the change through a map
/// that is learned here. Only where there is no obstacle.
RetrievalQueries retrieval_queries(const Subject& subject, const RetrievalOptions& options);

}  // namespace adassl::evaluation
