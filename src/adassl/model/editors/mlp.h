#pragma once

#include "adassl/model/editor.h"
#include "adassl/nn/mlp.h"

namespace adassl::model {

/// t(e, r) = MLP([e; r]): Linear + BatchNorm + LeakyReLU, no biases.
class MlpEditor final : public Editor {
 public:
  static constexpr std::string_view kName = "mlp";
  static constexpr std::string_view kSummary = "a small network on the embedding and r together";
  struct Options {
    std::vector<int64_t> hidden = {128};
    double slope = 0;
    void visit(Fields& field) {
      field("hidden", hidden, "widths of the hidden layers", {1, 65536});
      field("slope", slope, "negative slope of the LeakyReLU; 0 is ReLU", {0, 1});
    }
  };
  MlpEditor(const Options& options, const EditorContext& context)
      : mlp_(register_module("mlp", std::make_shared<nn::Mlp>(nn::MlpShape{
                                        .in = context.embedding + context.r,
                                        .hidden = options.hidden,
                                        .out = context.embedding,
                                        .norm = true,
                                        .slope = options.slope,
                                        .bias = false,
                                        .out_bias = false,
                                        .init = nn::Init::kStabilised,
                                    }))) {}
  Tensor edit(const Tensor& e, const Tensor& r) override {
    return mlp_->forward(torch::cat({e, r}, 1));
  }

 private:
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace adassl::model
