#pragma once

#include "adassl/model/editor.h"
#include "adassl/parts/editors.h"

namespace adassl::model {

/// t(e, r) = e.
class NoEditor final : public Editor {
 public:
  using Options = parts::NoEditorOptions;
  NoEditor(const Options&, const EditorContext&) {}
  Tensor edit(const Tensor& e, const Tensor&) override { return e; }
};

}  // namespace adassl::model
