#include "adassl/data/named/preset.h"

#include "adassl/core/error.h"

namespace adassl::data {

void apply(std::string_view name, const std::vector<ChosenPart>& parts, Config& config) {
  for (const ChosenPart& part : parts) {
    const std::string key = part.section + ".kind";
    config.set_default(key, part.kind);
    const std::string kind = config.read_text(key, part.kind, "");
    ADASSL_CHECK(!part.fixed || kind == part.kind, "[", config.where(), "] data ", name,
                 ": expected ", key, " = \"", part.kind, "\", got \"", kind,
                 "\"; use data.kind = \"files\" to mix parts");
    const auto suggest = [&](const auto& options) {
      for (const auto& [option, value] : options) {
        config.set_default(part.section + "." + option, value);
      }
    };
    suggest(part.always);
    if (kind == part.kind) suggest(part.options);
  }
}

std::string folder_of_data(Config& config, const std::string& section, const std::string& folder) {
  const std::string key = "samples.folder";
  if (!config.has(key)) {
    config.set_default(key, folder);
    return folder;
  }
  std::string given = config.read_text(key, folder, "");
  ADASSL_CHECK(given == folder || !config.has(section + ".folder"), "[", config.where(),
               "] expected one folder with the data, got ", section, ".folder = ", to_toml(folder),
               " and ", key, " = ", to_toml(given));
  config.resolve(section + ".folder", given);
  return given;
}

}  // namespace adassl::data
