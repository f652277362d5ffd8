#pragma once

#include "adassl/model/editor.h"
#include "adassl/nn/layers.h"
#include "adassl/parts/editors.h"

namespace adassl::model {

/// A sum of rank-1 edits, each scaled by one entry of r:                          (paper eq. 11)
///   t(e, r) = e + B (tanh(r) * (A e + a)),   A: d -> d_r with offset a,   B: d_r -> d.
/// B starts at zero, so that edits initially change nothing. The offset a is inside B; the paper
/// writes a scalar outside, but its official code, and the tables made with it, use this form.
class ModularEditor final : public Editor {
 public:
  using Options = parts::ModularEditorOptions;
  ModularEditor(const Options&, const EditorContext& context) : active_(context.r > 0) {
    if (!active_) return;
    a_ = register_module("a", std::make_shared<nn::Linear>(context.embedding, context.r, true));
    b_ = register_module(
        "b", std::make_shared<nn::Linear>(context.r, context.embedding, false, nn::Init::kZero));
  }
  Tensor edit(const Tensor& e, const Tensor& r) override {
    if (!active_) return e;
    return e + b_->forward(r.tanh() * a_->forward(e));
  }

 private:
  bool active_;
  std::shared_ptr<nn::Linear> a_;
  std::shared_ptr<nn::Linear> b_;
};

}  // namespace adassl::model
