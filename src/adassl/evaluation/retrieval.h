#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/queries.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// Where the truth stands when a gallery is sorted by similarity. Ties for it or against it.
struct Ranks {
  Tensor optimistic;   // [Q] 1 + how many are strictly more similar
  Tensor pessimistic;  // [Q] how many are at least as similar, itself included
};

/// Query i seeks the distinct row truth[i]. Each counts as often as it has copies.
/// [Q, d], [Q] int64, [M, d], [M] int64, both of rows of length 1
Ranks rank(const Tensor& queries, const Tensor& truth, const Tensor& gallery, const Tensor& copies);

/// Each query seeks its own future.
Ranks rank(const RetrievalQueries& asked);
/// The mean of 1 / rank.
double mean_reciprocal(const Tensor& ranks);

/// The most similar rows of a gallery, the most similar first, the first one of equals; fewer where
/// the gallery has less. [Q, d], [M, d] -> [Q, count], both of rows of length 1
Tensor closest(const Tensor& queries, const Tensor& gallery, int64_t count);

/// Does the predictor know where a told change leads? A query is predict(encode(x), r), with r from
/// the true change through a learned map; it seeks its own x+ among `sources` x `futures` of them,
/// by cosine similarity. Methods without r predict once for each x, and find at best one of its
/// futures first.
///   mrr, hit1, hit5              mean of 1 / rank, shares of ranks up to 1 and up to 5; of equal
///                                futures the one that is sought comes first
///   mrr_pessimistic, ...         it comes last
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
