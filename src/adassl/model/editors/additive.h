#pragma once

#include "adassl/core/error.h"
#include "adassl/model/editor.h"
#include "adassl/parts/editors.h"

namespace adassl::model {

/// t(e, r) = e + r: r has the width of the embedding.
class AdditiveEditor final : public Editor {
 public:
  using Options = parts::AdditiveEditorOptions;
  AdditiveEditor(const Options&, const EditorContext& context) {
    ADASSL_CHECK(context.r == 0 || context.r == context.embedding,
                 "[editor] additive: expected an r as wide as the embedding (", context.embedding,
                 "), got ", context.r, "; set latent.dim=", context.embedding);
  }
  Tensor edit(const Tensor& e, const Tensor& r) override { return r.size(1) == 0 ? e : e + r; }
};

}  // namespace adassl::model
