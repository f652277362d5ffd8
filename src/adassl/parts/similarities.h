#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/core/options.h"

/// The options of the similarities.
namespace adassl::parts {

struct IsotropicOptions {
  static constexpr std::string_view kName = "isotropic";
  static constexpr std::string_view kSummary = "one weight for all dimensions (InfoNCE, AdaSSL)";
  bool learned = true;
  void visit(Fields& field) {
    field("learned", learned, "whether the weight is learned or fixed at 1");
  }
};

struct AnisotropicOptions {
  static constexpr std::string_view kName = "anisotropic";
  static constexpr std::string_view kSummary = "one weight for each dimension (AnInfoNCE)";
  void visit(Fields&) {}
};

struct HeteroscedasticAffineOptions {
  static constexpr std::string_view kName = "heteroscedastic-affine";
  static constexpr std::string_view kSummary =
      "weights that an affine map predicts from the anchor (H-InfoNCE affine)";
  void visit(Fields&) {}
};

struct HeteroscedasticMlpOptions {
  static constexpr std::string_view kName = "heteroscedastic-mlp";
  static constexpr std::string_view kSummary =
      "weights that a small network predicts from the anchor (H-InfoNCE MLP)";
  std::vector<int64_t> hidden = {100, 100, 100};
  double slope = 0.01;
  void visit(Fields& field) {
    field("hidden", hidden, "widths of the hidden layers", {1, 65536});
    field("slope", slope, "negative slope of the LeakyReLU; 0 is ReLU", {0, 1});
  }
};

}  // namespace adassl::parts
