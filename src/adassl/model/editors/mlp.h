#pragma once

#include "adassl/model/editor.h"
#include "adassl/nn/mlp.h"
#include "adassl/parts/editors.h"

namespace adassl::model {

/// t(e, r) = MLP([e; r]): Linear + BatchNorm + LeakyReLU, no biases.
class MlpEditor final : public Editor {
 public:
  using Options = parts::MlpEditorOptions;
  MlpEditor(const Options& options, const EditorContext& context)
      : mlp_(register_module("mlp", std::make_shared<nn::Mlp>(
                                        nn::MlpShape{
                                            .in = context.embedding + context.r,
                                            .hidden = options.hidden,
                                            .out = context.embedding,
                                            .norm = true,
                                            .slope = options.slope,
                                            .bias = false,
                                            .out_bias = false,
                                            .init = nn::Init::kStabilised,
                                        },
                                        context.compute))) {}
  Tensor edit(const Tensor& e, const Tensor& r) override {
    return mlp_->forward(torch::cat({e, r}, 1));
  }

 private:
  std::shared_ptr<nn::Mlp> mlp_;
};

}  // namespace adassl::model
