#pragma once

#include <optional>

#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/gallery.h"

namespace adassl::evaluation {

struct RetrievalOptions {
  int64_t sources = 64;
  int64_t futures = 64;
  int64_t pairs = 8192;
  int64_t steps = 1000;
  int64_t batch = 256;
  double learning_rate = 1e-3;
  int64_t hidden = 128;
  void visit(Fields& field) {
    field("sources", sources, "observations that go on", {1, 10000});
    field("futures", futures, "ways in which each goes on", {1, 10000});
    field("pairs", pairs, "training pairs for the map from change to r", {2, 1e7});
    field("steps", steps, "steps of its training", {0, 1e7});
    field("batch", batch, "pairs in each", {1, 1e6});
    field("learning_rate", learning_rate, "of its Adam, at first; falls to 0", {1e-9, 10});
    field("hidden", hidden, "width of its hidden layer", {1, 1024});
  }
};

/// What retrieval asks a pool of futures. Query i seeks row i of futures.x_plus.
struct RetrievalQueries {
  Futures futures;
  Gallery pool;    // of all futures.x_plus
  Tensor queries;  // [S n, d] unit rows, double precision
};

/// Predictions with the true changes: predict(encode(x), r), with r from the change through a map
/// that is learned here. Nothing where the source has no futures, or where the method has an r and
/// the source does not tell the change.
std::optional<RetrievalQueries> retrieval_queries(const Subject& subject,
                                                  const RetrievalOptions& options);

}  // namespace adassl::evaluation
