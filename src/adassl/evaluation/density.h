#pragma once

#include "adassl/core/random.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// The 1-D Wasserstein-1 distance between two samples of equal size, averaged over random
/// directions.
double sliced_wasserstein(const Tensor& a, const Tensor& b, int64_t directions,
                          const random::Stream& stream);
/// 2 E|a - b| - E|a - a'| - E|b - b'|, from all pairs of rows.
double energy_distance(const Tensor& a, const Tensor& b);

/// The aggregated conditional of the paper's density figure. One x+ is imagined for each x and
/// mapped to factors by an affine map; the resulting density is compared with that of the true
/// factors of x+.
///   projection = "predicted": the map is fitted from imagined embeddings to the factors of x+, as
///                in the paper; it shrinks towards the conditional mean
///   projection = "target":    the map is fitted from the embeddings of x+ themselves
/// Distances are measured after scaling each factor to unit variance. Methods without r, and those
/// without a prior, imagine one point for each x.
class Density final : public Evaluation {
 public:
  using Options = parts::DensityOptions;
  explicit Density(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override;
  bool fits(const data::Source& source) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
