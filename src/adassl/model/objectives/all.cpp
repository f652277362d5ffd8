#include "adassl/model/objective.h"
#include "adassl/model/objectives/contrastive.h"
#include "adassl/model/objectives/distillation.h"
#include "adassl/model/objectives/lie.h"

namespace adassl::model {

const std::vector<ObjectiveEntry>& objectives() {
  static const std::vector<ObjectiveEntry> table = {
      entry<Contrastive, Objective, const ObjectiveContext&>(),
      entry<Distillation, Objective, const ObjectiveContext&>(),
      entry<LieObjective, Objective, const ObjectiveContext&>(),
  };
  return table;
}

}  // namespace adassl::model
