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
      "identifies the other view of a pair among the batch (InfoNCE)";
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
    field("negatives", negatives,
          "embeddings that serve as negatives: those of the other view, or of both views",
          {"targets", "both"});
    field("form", form, "similarity that gives the logits", {"distance", "cosine"});
    field("clamp", clamp, "largest absolute value of a logit; 0: no clamp", {0, 1e6});
    field("predictor", predictor,
          "whether a network follows the editor (psi_1 differs from psi_2); always true for an "
          "editor that passes r on");
    field("predictor_hidden", predictor_hidden,
          "widths of the predictor's hidden layers (with BatchNorm)", {1, 65536});
    field("predictor_slope", predictor_slope, "negative slope of its LeakyReLU; 0 is ReLU", {0, 1});
  }
};

struct LieObjectiveOptions : ContrastiveOptions {
  static constexpr std::string_view kName = "lie";
  static constexpr std::string_view kSummary =
      "InfoNCE of embeddings before and after their transport, which shall bring them nearer "
      "(LieSSL)";
  double transported = 1;
  double detour = 1;
  void visit(Fields& field) {
    ContrastiveOptions::visit(field);
    field("transported", transported, "weight of InfoNCE of the transported embeddings", {0, 1e3});
    field("detour", detour,
          "weight of the squared distance by which transport leads away from the target", {0, 1e3});
  }
};

struct DistillationOptions {
  static constexpr std::string_view kName = "distillation";
  static constexpr std::string_view kSummary =
      "predicts the output of a target network, a moving average of the encoder (BYOL)";
  std::vector<int64_t> hidden = {1024};
  double slope = 0;
  bool out_bias = true;
  double momentum = 0.996;
  std::string schedule = "constant";
  void visit(Fields& field) {
    field("hidden", hidden, "widths of the predictor's hidden layers (with BatchNorm)", {1, 65536});
    field("slope", slope, "negative slope of its LeakyReLU; 0 is ReLU", {0, 1});
    field("out_bias", out_bias, "whether its last layer has a bias");
    field("momentum", momentum, "share of the target network that is kept at each step", {0, 1});
    field("schedule", schedule, "whether momentum is constant or rises to 1 along a cosine",
          {"constant", "cosine"});
  }
};

}  // namespace adassl::parts
