#pragma once

#include <span>
#include <string>

#include "adassl/data/mixing.h"
#include "adassl/data/source.h"

namespace adassl::data {

/// The paper's numerical experiments: z = [c, s], x = g(z), where content c changes from x to x+ by
/// a conditional of growing complexity, and style s is drawn afresh for every view.
///   zero             c+ = c
///   isotropic        c+_i ~ N(c_i, 1)
///   anisotropic      c+_i ~ N(c_i, sigma_i^2),  sigma_i^2 ~ InvGamma(2, 1) once a trial
///   heteroscedastic  c+_i ~ N(c_i, softplus(W_sigma c + log(e - 1))_i)
///   complex          kappa ~ N(0, Sigma);  c_i ~ N(mu_i(kappa), sigma_i^2(kappa));  c+_i is c_i,
///                    or with probability sigmoid(kappa_i / Sigma_ii - 1) a fresh draw of
///                    the same law
/// with c ~ N(0, Sigma) but for `complex`. Sigma is drawn once a trial, by one of two laws:
///   inverse_wishart  InvWishart(content + 2, I), mean I: what the paper's text says
///   wishart          Wishart(content, I), mean content * I: what the paper's Identity row fits
/// Populations for probes: pz, the distribution of the training latents, and n5, all latents from
/// N(0, 5 I).
/// One seed is one trial: every method with this seed sees the same Sigma, W and g.
class Numerical final : public Source {
 public:
  struct Options {
    static constexpr std::string_view kName = "numerical";
    static constexpr std::string_view kSummary =
        "latents with a known conditional, seen through an invertible mixing";
    std::string conditional = "complex";
    std::string covariance = "inverse_wishart";
    int64_t content = 5;
    int64_t style = 5;
    MixingOptions mixing;
    void visit(Fields& field) {
      field("conditional", conditional, "how content changes from x to x+",
            {"zero", "isotropic", "anisotropic", "heteroscedastic", "complex"});
      field("covariance", covariance,
            "distribution of the latents' covariance: inverse_wishart as in the paper's text, or "
            "wishart, which the paper's Identity row suggests",
            {"inverse_wishart", "wishart"});
      field("content", content, "number of content factors", {1, 32});
      field("style", style, "number of style factors", {0, 32});
      field("mixing_layers", mixing.layers, "number of linear layers of g", {1, 16});
      field("mixing_activations", mixing.activations,
            "number of LeakyReLUs of g: that of its layers, or one less", {0, 16});
      field("mixing_candidates", mixing.candidates,
            "matrices drawn for each layer of g; the best conditioned is kept", {1, 10'000'000});
      field("mixing_slope", mixing.slope, "negative slope of g's LeakyReLU", {0.01, 1});
    }
  };

  Numerical(const Options& options, uint64_t seed);

  Shape shape() const override;
  void make_pairs(const PairRows& rows, Batch& batch) const override;
  std::vector<std::string> populations() const override { return {"pz", "n5"}; }
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override;

  const Matrix& sigma() const { return sigma_; }
  const Mixing& mixing() const { return mixing_; }
  const std::vector<double>& anisotropic_variance() const { return anisotropic_variance_; }

 private:
  struct Block;  // samples that are being made
  void draw_content(const random::Stream& stream, int64_t first, Block& block) const;
  void draw_complex_content(const random::Stream& chance, int64_t first, Block& block) const;
  void observe(std::span<const float> content, size_t view, int64_t first, size_t rows,
               Block& block, Array& out) const;

  Options options_;
  Matrix sigma_;  // covariance of c, or of kappa
  std::vector<double> anisotropic_variance_;
  Mixing mixing_;
  // In the layout of the kernels: [content, content] in row-major order, or [content].
  std::vector<float> sigma_cholesky_;
  std::vector<float> w_mu_;
  std::vector<float> w_sigma_;
  std::vector<float> b_;
};

}  // namespace adassl::data
