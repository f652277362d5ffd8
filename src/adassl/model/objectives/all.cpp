#include "adassl/model/objective.h"
#include "adassl/model/objectives/contrastive.h"

namespace adassl::model {

const std::vector<ObjectiveEntry>& objectives() {
  static const std::vector<ObjectiveEntry> table = {
      entry<Contrastive, Objective, const ObjectiveContext&>(),
  };
  return table;
}

}  // namespace adassl::model
