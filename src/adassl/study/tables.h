#pragma once

#include <vector>

#include "adassl/data/source.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/model/method.h"
#include "adassl/parts/catalogue.h"

namespace adassl::study {

/// Everything that an experiment can be made of. A value that `main` hands down: a program of one's
/// own adds its parts to it and has all of the rest.
struct Tables {
  std::vector<data::SourceEntry> sources = data::sources();
  std::vector<model::MethodEntry> methods = model::methods();
  model::PartTables parts = {};
  std::vector<evaluation::EvaluationEntry> evaluations = evaluation::evaluations();
};

parts::Catalogue catalogue_of(const Tables& tables);

}  // namespace adassl::study
