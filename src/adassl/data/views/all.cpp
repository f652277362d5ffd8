#include "adassl/data/views/augmented.h"
#include "adassl/data/views/plain.h"
#include "adassl/data/views/view.h"

namespace adassl::data {

const std::vector<ViewEntry>& views() {
  static const std::vector<ViewEntry> table = {entry<PlainView, View>(), entry<WeakView, View>(),
                                               entry<StrongView, View>(),
                                               entry<OperationsView, View>()};
  return table;
}

}  // namespace adassl::data
