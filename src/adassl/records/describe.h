#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "adassl/core/metric.h"

/// Descriptions of metrics as records carry them: {"rankme": {"label": "RankMe", ...}, ...}.
namespace adassl::records {

/// Fields that equal their defaults are left out.
nlohmann::json to_json(const Descriptions& descriptions);
/// Accepts any JSON: a field of an unexpected type keeps its default.
Descriptions parse_descriptions(const nlohmann::json& json);

/// The description of a metric, or null. The variants of a study's row share descriptions:
/// "unbounded.r2_pz" is described by "r2_pz".
const Metric* find_metric(const Descriptions& descriptions, std::string_view name);

/// The text that a page shows for a metric: its label, with its unit and its variant if it has
/// them; its name if it has no description.
std::string label_of(const Descriptions& descriptions, std::string_view name);

}  // namespace adassl::records
