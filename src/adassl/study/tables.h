#pragma once

#include <vector>

#include "adassl/data/source.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/model/method.h"
#include "adassl/parts/catalogue.h"

namespace adassl::study {

/// All parts from which an experiment can be built. It is a plain value that `main` passes down:
/// another program can add its own parts and reuse everything else.
struct Tables {
  std::vector<data::SourceEntry> sources = data::sources();
  std::vector<model::MethodEntry> methods = model::methods();
  model::PartTables parts = {};
  std::vector<evaluation::EvaluationEntry> evaluations = evaluation::evaluations();
};

parts::Catalogue catalogue_of(const Tables& tables);

}  // namespace adassl::study
