#include "adassl/model/editor.h"
#include "adassl/model/editors/additive.h"
#include "adassl/model/editors/concat.h"
#include "adassl/model/editors/lie.h"
#include "adassl/model/editors/linear.h"
#include "adassl/model/editors/mlp.h"
#include "adassl/model/editors/modular.h"
#include "adassl/model/editors/none.h"

namespace adassl::model {

const std::vector<EditorEntry>& editors() {
  static const std::vector<EditorEntry> table = {
      entry<NoEditor, Editor, const EditorContext&>(),
      entry<AdditiveEditor, Editor, const EditorContext&>(),
      entry<LinearEditor, Editor, const EditorContext&>(),
      entry<ConcatEditor, Editor, const EditorContext&>(),
      entry<MlpEditor, Editor, const EditorContext&>(),
      entry<ModularEditor, Editor, const EditorContext&>(),
      entry<LieEditor, Editor, const EditorContext&>(),
  };
  return table;
}

}  // namespace adassl::model
