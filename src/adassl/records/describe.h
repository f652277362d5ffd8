#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "adassl/core/metric.h"

/// Descriptions of metrics as records carry them: {"rankme": {"label": "RankMe", ...}, ...}.
namespace adassl::records {

/// What equals the default is left out.
nlohmann::json to_json(const Descriptions& descriptions);
/// Trusts nothing: whatever has another type than expected is left at its default.
Descriptions parse_descriptions(const nlohmann::json& json);

/// The description of a metric, or null. The variants of a study's row share descriptions:
/// "unbounded.r2_pz" is described by "r2_pz".
const Metric* find_metric(const Descriptions& descriptions, std::string_view name);

/// What a page calls a metric: its label, with its unit and its variant if it has them; its name
/// where nothing describes it.
std::string label_of(const Descriptions& descriptions, std::string_view name);

}  // namespace adassl::records
