#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/data/files.h"
#include "adassl/data/samples/images.h"

/// Named data sets are presets over samples, pairing and views, as named methods are presets over
/// the parts of a model.
namespace adassl::data {

/// A part that a named data set chooses, and options of it that are its defaults.
struct ChosenPart {
  std::string section;  // "pairing"
  std::string kind;
  bool fixed = false;  // another kind contradicts the name of the data set
  std::vector<std::pair<std::string, Value>> options = {};  // defaults, if this kind is used
  std::vector<std::pair<std::string, Value>> always = {};   // defaults for every kind of this part
};

/// Sets the defaults; Error if the configuration contradicts a part that the data set fixes.
void apply(std::string_view name, const std::vector<ChosenPart>& parts, Config& config);

/// Where the data is: data.folder or samples.folder; Error if they differ.
std::string folder_of_data(Config& config, const std::string& section, const std::string& folder);

/// Reads the options of a named data set and sets what follows from them. `Options` has, besides
/// name, summary and options, `folder`, `parts()` and `seen`.
template <class Options>
Options choose_parts(Config& config, const std::string& section) {
  auto options = config.read<Options>(section);
  config.read_text("samples.kind", std::string(Options::kName), "");  // before the folder
  options.folder = folder_of_data(config, section, options.folder);
  apply(Options::kName, options.parts(), config);
  return options;
}

/// The entry of the table of sources. `adassl check` learns the parts, too, without any file.
template <class Options>
SourceEntry named_entry() {
  PartDescription description = part_description<Options>();
  description.read = [](Config& config, const std::string& section) {
    choose_parts<Options>(config, section);
  };
  return {description, [](Config& config, const std::string& section, uint64_t seed) {
            const auto options = choose_parts<Options>(config, section);
            Files::Options files;
            files.split.split_column = kSplitColumn;
            files.seen = options.seen;
            files.change = "factors and binary";  // the attributes of faces, for AdaSSL+GT
            return std::static_pointer_cast<Source>(make_files(config, files, seed));
          }};
}

}  // namespace adassl::data
