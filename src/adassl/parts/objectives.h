#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/core/table.h"

/// The options of the objectives.
namespace adassl::parts {

struct ContrastiveOptions {
  static constexpr std::string_view kName = "contrastive";
  static constexpr std::string_view kSummary =
      "pick the pair's other half among the batch (InfoNCE)";
  static std::vector<PartUse> uses() { return {{"similarity", "isotropic"}}; }
  double tau = 0.1;
  std::string negatives = "targets";
  std::string form = "distance";
  double clamp = 0;
  bool predictor = false;
  std::vector<int64_t> predictor_hidden = {100, 100, 100};
  double predictor_slope = 0.01;
  void visit(Fields& field) {
    field("tau", tau, "temperature", {1e-4, 1e4});
    field("negatives", negatives, "which embeddings compete with the positive",
          {"targets", "both"});
    field("form", form, "what the logits are made of", {"distance", "cosine"});
    field("clamp", clamp, "largest size of a logit; 0: no clamp", {0, 1e6});
    field("predictor", predictor,
          "a network after the editor: psi_1 differs from psi_2; an editor that only hands r "
          "over has one in any case");
    field("predictor_hidden", predictor_hidden, "its hidden layers (with BatchNorm)", {1, 65536});
    field("predictor_slope", predictor_slope, "its LeakyReLU's slope; 0 is ReLU", {0, 1});
  }
};

struct DistillationOptions {
  static constexpr std::string_view kName = "distillation";
  static constexpr std::string_view kSummary =
      "predict what a slowly following copy of the encoder says (BYOL)";
  std::vector<int64_t> hidden = {1024};
  double slope = 0;
  bool out_bias = true;
  double momentum = 0.996;
  std::string schedule = "constant";
  void visit(Fields& field) {
    field("hidden", hidden, "the predictor's hidden layers (with BatchNorm)", {1, 65536});
    field("slope", slope, "its LeakyReLU's slope; 0 is ReLU", {0, 1});
    field("out_bias", out_bias, "whether its last layer has a bias");
    field("momentum", momentum, "how much of the copy stays, each step", {0, 1});
    field("schedule", schedule, "whether momentum stays, or rises to 1 by half a cosine",
          {"constant", "cosine"});
  }
};

}  // namespace adassl::parts
