#pragma once

#include "adassl/core/random.h"
#include "adassl/evaluation/evaluation.h"

namespace adassl::evaluation {

/// Mean over random directions of the 1-D Wasserstein-1 distance of two samples of equal size.
double sliced_wasserstein(const Tensor& a, const Tensor& b, int64_t directions,
                          const random::Stream& stream);
/// 2 E|a - b| - E|a - a'| - E|b - b'|, from all pairs of rows.
double energy_distance(const Tensor& a, const Tensor& b);

/// The aggregated conditional of the paper's density figure: one imagined x+ for each x, projected
/// to the true factors of x+ by an affine map, against those factors themselves.
///   projection = "predicted": the map is fitted from imagined embeddings to the factors of x+, as
///                the paper does; it shrinks towards the conditional mean
///   projection = "target":    fitted from the embeddings of x+ themselves
/// Distances are measured after scaling each factor to unit variance. Methods without r, and those
/// without a prior, imagine one point for each x.
class Density final : public Evaluation {
 public:
  static constexpr std::string_view kName = "density";
  static constexpr std::string_view kSummary =
      "what the model believes x+ to be, against the truth";
  struct Options {
    int64_t samples = 20'000;
    std::string projection = "predicted";
    int64_t directions = 128;
    int64_t energy_samples = 4000;
    int64_t bins = 40;
    void visit(Fields& field) {
      field("samples", samples, "pairs for the map, and as many for the densities", {64, 1e7});
      field("projection", projection, "what the map is fitted on", {"predicted", "target"});
      field("directions", directions, "directions of the sliced distance", {1, 1e5});
      field("energy_samples", energy_samples, "rows for the energy distance", {16, 10000});
      field("bins", bins, "bins of the pictures' histograms, each way", {4, 200});
    }
  };
  explicit Density(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
