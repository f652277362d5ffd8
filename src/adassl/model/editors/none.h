#pragma once

#include "adassl/model/editor.h"

namespace adassl::model {

/// t(e, r) = e.
class NoEditor final : public Editor {
 public:
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kSummary = "leaves the embedding as it is";
  struct Options {
    void visit(Fields&) {}
  };
  NoEditor(const Options&, const EditorContext&) {}
  Tensor edit(const Tensor& e, const Tensor&) override { return e; }
};

}  // namespace adassl::model
