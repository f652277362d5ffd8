#include "adassl/evaluation/change.h"
#include "adassl/evaluation/control.h"
#include "adassl/evaluation/dci.h"
#include "adassl/evaluation/density.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/futures.h"
#include "adassl/evaluation/geometry.h"
#include "adassl/evaluation/partner.h"
#include "adassl/evaluation/probes.h"
#include "adassl/evaluation/reconstruction.h"
#include "adassl/evaluation/regression.h"
#include "adassl/evaluation/retrieval.h"
#include "adassl/evaluation/utilisation.h"

namespace adassl::evaluation {

const std::vector<EvaluationEntry>& evaluations() {
  static const std::vector<EvaluationEntry> table = {
      entry<Regression, Evaluation>(),  entry<Probes, Evaluation>(),
      entry<Dci, Evaluation>(),         entry<Change, Evaluation>(),
      entry<Partner, Evaluation>(),     entry<Control, Evaluation>(),
      entry<Retrieval, Evaluation>(),   entry<SampledFutures, Evaluation>(),
      entry<Utilisation, Evaluation>(), entry<Geometry, Evaluation>(),
      entry<Density, Evaluation>(),     entry<Reconstruction, Evaluation>(),
  };
  return table;
}

}  // namespace adassl::evaluation
