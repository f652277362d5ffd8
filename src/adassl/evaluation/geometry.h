#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// RankMe (Garrido et al., 2023): exp of the entropy of the normalised singular values of the rows,
/// which are not centred.
double rank_me(const Tensor& embeddings);
/// mean |a - b|^2 over pairs of unit rows (Wang and Isola, 2020).
double alignment(const Tensor& a, const Tensor& b);
/// log mean exp(-2 |u - v|^2) over pairs of different unit rows; lower is more uniform.
double uniformity(const Tensor& rows);

/// The share of pairs whose x and x+ are equal, number by number.
double share_of_identical(const Array& x, const Array& x_plus);

/// The geometry of the embeddings: their effective rank, alignment and uniformity. While a run is
/// watched, also facts about the watched pairs:
///   rankme_share      RankMe, divided by the width of the embedding
///   watched_pairs     how many pairs there were
///   identical_pairs   the share of them in which x and x+ are the same
class Geometry final : public Evaluation {
 public:
  using Options = parts::GeometryOptions;
  explicit Geometry(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  bool fits(const data::Source& source) const override;
  std::shared_ptr<Evaluation> watching(const WatchSize& size) const override {
    return std::make_shared<Geometry>(Options{size.pairs});
  }
  bool label_free() const override { return true; }

 private:
  void watch(const Subject& subject, Results& results) const;

  Options options_;
};

}  // namespace adassl::evaluation
