#pragma once

#include "adassl/model/objective.h"
#include "adassl/nn/mlp.h"

namespace adassl::model {

/// BYOL: a predictor eta takes e_hat to where a slowly following copy of the encoder has the other
/// view; neither negatives nor a temperature.
///   L = mean |psi(eta(e_hat)) - psi(target)|^2,   2 - 2 cos on the hypersphere
/// Two directions are averaged, so that beta means the same with one and with two.
class Distillation final : public Objective {
 public:
  static constexpr std::string_view kName = "distillation";
  static constexpr std::string_view kSummary =
      "predict what a slowly following copy of the encoder says (BYOL)";

  struct Options {
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

  Distillation(const Options& options, const ObjectiveContext& context);
  Tensor loss(const Direction& forward, const std::optional<Direction>& backward) override;
  Tensor predict(const Tensor& e_hat) override;
  Tensor psi(const Tensor& e) override;
  bool distils() const override { return true; }
  double momentum(int64_t step, int64_t horizon) const override;
  int64_t candidates(int64_t) const override { return 0; }
  double bytes(int64_t batch, bool symmetric) const override;

 private:
  Tensor one_direction(const Direction& direction);

  Options options_;
  bool hypersphere_;
  std::shared_ptr<nn::Mlp> predictor_;  // eta: e_hat -> [B, d]
};

}  // namespace adassl::model
