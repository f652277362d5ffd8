#pragma once

#include "adassl/model/editor.h"
#include "adassl/nn/layers.h"
#include "adassl/parts/editors.h"

namespace adassl::model {

/// t(e, r) = W [e; r], without bias.
class LinearEditor final : public Editor {
 public:
  using Options = parts::LinearEditorOptions;
  LinearEditor(const Options&, const EditorContext& context)
      : linear_(register_module(
            "linear", std::make_shared<nn::Linear>(context.embedding + context.r, context.embedding,
                                                   /*bias=*/false, nn::Init::kStabilised))) {}
  Tensor edit(const Tensor& e, const Tensor& r) override {
    return linear_->forward(torch::cat({e, r}, 1));
  }

 private:
  std::shared_ptr<nn::Linear> linear_;
};

}  // namespace adassl::model
