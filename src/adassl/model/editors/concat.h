#pragma once

#include "adassl/model/editor.h"
#include "adassl/parts/editors.h"

namespace adassl::model {

/// t(e, r) = [e; r]. The predictor of the objective then serves as editor, too.
class ConcatEditor final : public Editor {
 public:
  using Options = parts::ConcatEditorOptions;
  ConcatEditor(const Options&, const EditorContext&) {}
  Tensor edit(const Tensor& e, const Tensor& r) override {
    return r.size(1) == 0 ? e : torch::cat({e, r}, 1);
  }
  int64_t width(const EditorContext& context) const override {
    return context.embedding + context.r;
  }
};

}  // namespace adassl::model
