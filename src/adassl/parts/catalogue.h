#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/table.h"
#include "adassl/parts/methods.h"

namespace adassl::parts {

/// Everything that a configuration can name, described and not made. A value: whoever adds parts of
/// his own makes one that has them too.
struct Catalogue {
  std::vector<MethodDescription> methods;
  std::vector<PartDescription> sources;
  std::map<std::string, std::vector<PartDescription>>
      parts;  // by section: "encoder", "latent", ...
  std::vector<PartDescription> evaluations;
};

/// What this program comes with.
Catalogue built_in();

/// The options of a run that belong to no part, by section.
std::vector<std::pair<std::string, std::vector<FieldDescription>>> run_options();

}  // namespace adassl::parts
