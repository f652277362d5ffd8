#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/core/error.h"
#include "adassl/core/text.h"

/// The table of contents of a folder of parts. Each kind of part (encoders, latents, editors,
/// objectives, data sources, evaluations) is a vector of entries. A part is a struct of options,
/// with `kName`, `kSummary` and `visit`, and a class with a constructor from (Options, Context...).
namespace adassl {

/// A part that another part contains. The key `<section>.kind` selects it.
struct PartUse {
  std::string_view section;
  std::string_view otherwise;  // the kind if that key is absent
};

/// What is known about a part without constructing it.
struct PartDescription {
  std::string_view name;
  std::string_view summary;
  std::vector<FieldDescription> (*describe)();
  void (*read)(Config&, const std::string& section);  // reads the options only to check them
  std::vector<PartUse> uses = {};
};

template <class Options>
PartDescription part_description() {
  PartDescription out{
      Options::kName, Options::kSummary, &describe<Options>,
      [](Config& config, const std::string& section) { config.read<Options>(section); }};
  if constexpr (requires { Options::uses(); }) out.uses = Options::uses();
  return out;
}

template <class Part, class... Context>
struct Entry : PartDescription {
  std::shared_ptr<Part> (*make)(Config&, const std::string& section, Context...);
};

template <class T, class Part, class... Context>
Entry<Part, Context...> entry() {
  return {part_description<typename T::Options>(),
          [](Config& config, const std::string& section, Context... context) {
            const auto options = config.read<typename T::Options>(section);
            return std::static_pointer_cast<Part>(std::make_shared<T>(options, context...));
          }};
}

template <class EntryType>
std::vector<std::string> names(const std::vector<EntryType>& table) {
  std::vector<std::string> out;
  out.reserve(table.size());
  for (const auto& entry : table) out.emplace_back(entry.name);
  return out;
}

/// The entry with this name; Error if there is none. Messages call the kind of part `part`:
/// "latent".
template <class EntryType>
const EntryType& find(const std::vector<EntryType>& table, std::string_view part,
                      std::string_view name) {
  for (const auto& entry : table) {
    if (entry.name == name) return entry;
  }
  const auto known = names(table);
  throw Error(join("[", part, "] expected one of ", text::list(known), ", got '", name, "'",
                   text::did_you_mean(name, known)));
}

/// Reads `<section>.kind` and finds that part.
template <class EntryType>
const EntryType& read_kind(const std::vector<EntryType>& table, Config& config,
                           const std::string& section, std::string_view otherwise) {
  const std::string kind =
      config.read_text(section + ".kind", std::string(otherwise), "which one", names(table));
  return find(table, section, kind);
}

/// Reads `<section>.kind` and makes that part from the section's other keys.
template <class Part, class... Context>
std::shared_ptr<Part> make_part(const std::vector<Entry<Part, Context...>>& table, Config& config,
                                const std::string& section, const std::string& otherwise,
                                std::type_identity_t<Context>... context) {
  return read_kind(table, config, section, otherwise).make(config, section, context...);
}

}  // namespace adassl
