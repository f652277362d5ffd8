#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/core/options.h"

/// The options of the latents.
namespace adassl::parts {

struct NoLatentOptions {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kSummary = "no latent variable: the views of a pair must agree";
  void visit(Fields&) {}
};

struct GivenOptions {
  static constexpr std::string_view kName = "given";
  static constexpr std::string_view kSummary = "r is the true change that the data provides (+GT)";
  int64_t dim = 0;
  void visit(Fields& field) {
    field("dim", dim, "width of r, an affine map of the change; 0: r is the change itself",
          {0, 4096});
  }
};

struct FutureOptions {
  static constexpr std::string_view kName = "future";
  static constexpr std::string_view kSummary = "r is the embedding of the helper view (+Future)";
  void visit(Fields&) {}
};

struct VariationalOptions {
  static constexpr std::string_view kName = "variational";
  static constexpr std::string_view kSummary =
      "a Gaussian r, regularised towards a prior that x alone predicts (AdaSSL-V)";
  int64_t dim = 5;
  double beta = 0.5;
  int64_t warmup_steps = 1000;
  std::vector<int64_t> hidden = {64, 64};
  double slope = 0.01;
  void visit(Fields& field) {
    field("dim", dim, "width of r", {1, 4096});
    field("beta", beta, "weight of the KL term", {0, 1e3});
    field("warmup_steps", warmup_steps, "steps over which beta rises linearly from 0", {0, 1e9});
    field("hidden", hidden, "widths of the hidden layers of the posterior and the prior network",
          {1, 65536});
    field("slope", slope, "negative slope of their LeakyReLU; 0 is ReLU", {0, 1});
  }
};

struct SparseOptions {
  static constexpr std::string_view kName = "sparse";
  static constexpr std::string_view kSummary = "an r with few non-zero entries (AdaSSL-S)";
  int64_t dim = 5;
  double beta = 1;
  int64_t warmup_steps = 0;
  std::vector<int64_t> hidden = {64, 64};
  double slope = 0.01;
  void visit(Fields& field) {
    field("dim", dim, "width of r", {1, 4096});
    field("beta", beta, "weight of the expected number of open gates", {0, 1e3});
    field("warmup_steps", warmup_steps, "steps over which beta rises linearly from 0", {0, 1e9});
    field("hidden", hidden, "widths of the hidden layers of the network that predicts r",
          {1, 65536});
    field("slope", slope, "negative slope of its LeakyReLU; 0 is ReLU", {0, 1});
  }
};

struct LieLatentOptions {
  static constexpr std::string_view kName = "lie";
  static constexpr std::string_view kSummary =
      "coefficients of a Lie group's generators, with their squares as the cost (LieSSL)";
  int64_t dim = 10;
  double beta = 0.1;
  std::vector<int64_t> hidden = {64};
  double slope = 0;
  void visit(Fields& field) {
    field("dim", dim, "width of r: the number of generators", {1, 4096});
    field("beta", beta, "weight of the mean squared length of r", {0, 1e3});
    field("hidden", hidden, "widths of the hidden layers of the network that predicts r",
          {1, 65536});
    field("slope", slope, "negative slope of its LeakyReLU; 0 is ReLU", {0, 1});
  }
};

}  // namespace adassl::parts
