#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/table.h"
#include "adassl/parts/methods.h"

namespace adassl::parts {

/// Descriptions of everything that a configuration can name; nothing is constructed. It is a plain
/// value: a program with additional parts makes a catalogue that contains them too.
struct Catalogue {
  std::vector<MethodDescription> methods;
  std::vector<PartDescription> sources;
  std::map<std::string, std::vector<PartDescription>>
      parts;  // by section: "encoder", "latent", ...
  std::vector<PartDescription> evaluations;
};

/// The parts that this program comes with.
Catalogue built_in();

/// Adds the parts of which a data source can be made: samples, pairing and views.
void add_data_parts(Catalogue& catalogue);

/// The options of a run that belong to no part, by section.
std::vector<std::pair<std::string, std::vector<FieldDescription>>> run_options();

}  // namespace adassl::parts
