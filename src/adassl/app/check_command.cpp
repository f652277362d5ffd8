#include <iostream>
#include <memory>
#include <variant>

#include <nlohmann/json.hpp>

#include "adassl/app/commands.h"
#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/parts/resolve.h"
#include "adassl/storage/json_lines.h"

namespace adassl::app {
namespace {

using nlohmann::ordered_json;

struct Arguments {
  std::string config;
  std::vector<std::string> overrides;
  bool json = false;
};

ordered_json to_json(const Scalar& value) {
  return std::visit([](const auto& held) { return ordered_json(held); }, value);
}

ordered_json to_json(const Value& value) {
  if (const auto* list = std::get_if<std::vector<Scalar>>(&value)) {
    ordered_json out = ordered_json::array();
    for (const Scalar& element : *list) out.push_back(to_json(element));
    return out;
  }
  return std::visit(
      [](const auto& held) -> ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::vector<Scalar>>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

/// The resolved configuration as JSON; sections become nested objects, as in the file.
ordered_json as_json(const Config& config) {
  ordered_json out = ordered_json::object();
  for (const auto& [key, value] : config.resolved_values()) {
    ordered_json* section = &out;
    std::vector<std::string> names = text::split(key, '.');
    for (size_t i = 0; i + 1 < names.size(); ++i) section = &(*section)[names[i]];
    (*section)[names.back()] = to_json(value);
  }
  return out;
}

}  // namespace

void add_check(CLI::App& app, const parts::Catalogue& catalogue) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(app, "check");
  command->add_option("config", arguments->config, "a TOML file, e.g. from configs/")->required();
  command->add_option("overrides", arguments->overrides,
                      "key=value, e.g. train.steps=20000 seed=3");
  command->add_flag("--json", arguments->json, "print JSON instead of TOML");
  command->callback([arguments, catalogue] {
    Config config = parts::read_run_config(arguments->config, arguments->overrides);
    parts::resolve(config, catalogue);
    if (arguments->json) {
      std::cout << storage::json_text(as_json(config), 2) << "\n";
    } else {
      std::cout << config.resolved();
    }
  });
}

}  // namespace adassl::app
