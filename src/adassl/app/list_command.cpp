#include <iostream>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/app/commands.h"

namespace adassl::app {
namespace {

struct Part {
  std::string name;
  std::string summary;
  std::vector<FieldDescription> fields;
};

struct Kind {
  std::string name;     // "latents"
  std::string section;  // "latent"
  std::vector<Part> parts;
};

Kind kind_of(const std::string& name, const std::string& section,
             const std::vector<PartDescription>& table) {
  Kind out{name, section, {}};
  for (const auto& entry : table) {
    out.parts.push_back({std::string(entry.name), std::string(entry.summary), entry.describe()});
  }
  return out;
}

Kind methods_kind(const parts::Catalogue& catalogue) {
  Kind out{"methods", "model", {}};
  for (const auto& entry : catalogue.methods) {
    std::string parts;
    for (const auto& [key, value] : entry.fixed) parts += fmt::format(" {}={}", key, value);
    for (const auto& [key, value] : entry.suggested) parts += fmt::format(" [{}={}]", key, value);
    out.parts.push_back({std::string(entry.name),
                         std::string(entry.summary) + (parts.empty() ? "" : ":" + parts),
                         entry.own_options ? entry.describe() : std::vector<FieldDescription>()});
  }
  return out;
}

Kind options_kind() {
  Kind out{"options", "", {}};
  for (const auto& [section, fields] : parts::run_options()) {
    if (!out.parts.empty() && out.parts.back().name == section) {
      auto& present = out.parts.back().fields;
      present.insert(present.end(), fields.begin(), fields.end());
    } else {
      out.parts.push_back({section, section.empty() ? "of the whole run" : "", fields});
    }
  }
  return out;
}

std::vector<Kind> all_kinds(const parts::Catalogue& catalogue) {
  return {methods_kind(catalogue),
          kind_of("sources", "data", catalogue.sources),
          kind_of("samples", "samples", catalogue.parts.at("samples")),
          kind_of("pairings", "pairing", catalogue.parts.at("pairing")),
          kind_of("views", "views", catalogue.parts.at("views")),
          kind_of("encoders", "encoder", catalogue.parts.at("encoder")),
          kind_of("latents", "latent", catalogue.parts.at("latent")),
          kind_of("editors", "editor", catalogue.parts.at("editor")),
          kind_of("objectives", "objective", catalogue.parts.at("objective")),
          kind_of("similarities", "similarity", catalogue.parts.at("similarity")),
          kind_of("evaluations", "evaluate.<name>", catalogue.evaluations),
          options_kind()};
}

nlohmann::ordered_json as_json(const std::vector<Kind>& kinds) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const Kind& kind : kinds) {
    for (const Part& part : kind.parts) {
      nlohmann::ordered_json fields = nlohmann::ordered_json::array();
      for (const auto& field : part.fields) {
        fields.push_back({{"name", field.name},
                          {"type", field.type},
                          {"default", field.value},
                          {"allowed", field.allowed},
                          {"help", field.help}});
      }
      out[kind.name].push_back(
          {{"name", part.name}, {"summary", part.summary}, {"options", fields}});
    }
  }
  return out;
}

void print(const Kind& kind) {
  std::cout << kind.name
            << (kind.section.empty() ? "" : fmt::format("  (section [{}])", kind.section)) << "\n";
  for (const Part& part : kind.parts) {
    std::cout << fmt::format("  {:<24} {}\n", part.name.empty() ? "(top)" : part.name,
                             part.summary);
    for (const auto& field : part.fields) {
      std::cout << fmt::format("      {:<20} = {:<12} {}{}\n", field.name, field.value, field.help,
                               field.allowed.empty() ? "" : fmt::format("  ({})", field.allowed));
    }
  }
  std::cout << "\n";
}

struct Arguments {
  std::string kind;
  bool json = false;
};

}  // namespace

void add_list(CLI::App& app, const parts::Catalogue& catalogue) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(app, "list");
  command->add_option("kind", arguments->kind, "methods, latents, editors, ... (default: all)");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, catalogue] {
    std::vector<Kind> kinds = all_kinds(catalogue);
    if (!arguments->kind.empty()) kinds = {find(kinds, "list", arguments->kind)};
    if (arguments->json) {
      std::cout << as_json(kinds).dump(2) << "\n";
      return;
    }
    for (const Kind& kind : kinds) print(kind);
  });
}

}  // namespace adassl::app
