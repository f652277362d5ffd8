#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/queries.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// The rank of the correct row in a gallery sorted by similarity, with ties counted for it or
/// against it.
struct Ranks {
  Tensor optimistic;   // [Q] 1 + the number of rows that are strictly more similar
  Tensor pessimistic;  // [Q] the number of rows that are at least as similar, including itself
};

/// The correct row for query i is the distinct row truth[i]. Each distinct row counts as often as
/// it has copies. [Q, d], [Q] int64, [M, d], [M] int64; queries and gallery have unit rows.
Ranks rank(const Tensor& queries, const Tensor& truth, const Tensor& gallery, const Tensor& copies);

/// The ranks of the futures from which the queries were made.
Ranks rank(const RetrievalQueries& asked);
/// The mean of 1 / rank.
double mean_reciprocal(const Tensor& ranks);

/// The `count` most similar rows of a gallery, or all if it has fewer, in descending order of
/// similarity; of equally similar rows, the first comes first. [Q, d], [M, d] -> [Q, count];
/// queries and gallery have unit rows.
Tensor closest(const Tensor& queries, const Tensor& gallery, int64_t count);

/// Does the predictor know where a given change leads? A query is predict(encode(x), r), where a
/// learned map turns the true change into r. The correct x+ is searched by cosine similarity among
/// the futures of all sources, `sources` x `futures` in number. Methods without r predict once for
/// each x, so at most one of its futures can have rank 1.
///   mrr, hit1, hit5              mean of 1 / rank, shares of ranks up to 1 and up to 5; among
///                                equally similar futures the correct one comes first
///   mrr_pessimistic, ...         the same, but the correct one comes last
///   retrieval_error              mean |n(query) - n(x+)|^2
class Retrieval final : public Evaluation {
 public:
  using Options = parts::RetrievalOptions;
  explicit Retrieval(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override {
    return obstacle_to_retrieval(subject);
  }
  bool fits(const data::Source& source) const override { return source.shape().continues; }

 private:
  Options options_;
};

}  // namespace adassl::evaluation
