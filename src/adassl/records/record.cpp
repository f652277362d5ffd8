#include "adassl/records/record.h"

#include <array>
#include <cmath>
#include <limits>

#include "adassl/core/error.h"
#include "adassl/records/describe.h"
#include "adassl/storage/json_lines.h"

namespace adassl::records {
namespace {

using nlohmann::json;

/// Checks the types of the keys that are read without further checks later.
bool is_well_formed(const json& record) {
  if (!record.is_object() || !record.contains("kind") || !record["kind"].is_string()) return false;
  const auto missing_or = [&](const char* key, bool (json::*is)() const noexcept) {
    return !record.contains(key) || (record[key].*is)();
  };
  return missing_or("config_hash", &json::is_string) &&
         missing_or("step", &json::is_number_integer) && missing_or("metrics", &json::is_object) &&
         missing_or("vectors", &json::is_object);
}

/// Removes a key from the rest of a record and returns its value; null if the key is absent.
json take(json& rest, const char* key) {
  const auto found = rest.find(key);
  if (found == rest.end()) return nullptr;
  json out = std::move(*found);
  rest.erase(found);
  return out;
}

std::string take_text(json& rest, const char* key) {
  const json value = take(rest, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<int64_t> take_integer(json& rest, const char* key) {
  const json value = take(rest, key);
  return value.is_number_integer() ? std::optional(value.get<int64_t>()) : std::nullopt;
}

double finite_or_nan(const json& value) {
  const double number = value.is_number() ? value.get<double>() : NAN;
  return std::isfinite(number) ? number : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::optional<Record> parse(const json& line) {
  if (!is_well_formed(line)) return std::nullopt;
  json rest = line;
  Record out{.kind = take_text(rest, "kind")};
  out.row = take_text(rest, "row");
  out.method = take_text(rest, "method");
  out.seed = take_integer(rest, "seed");
  out.step = take_integer(rest, "step");
  if (const json final = take(rest, "final"); final.is_boolean()) out.final = final.get<bool>();
  out.config_hash = take_text(rest, "config_hash");
  out.commit = take_text(rest, "commit");
  out.time = take_text(rest, "time");
  if (json host = take(rest, "host"); host.is_object()) out.host = std::move(host);
  const json metrics = take(rest, "metrics");
  for (const auto& [name, value] : metrics.items()) out.metrics[name] = finite_or_nan(value);
  const json vectors = take(rest, "vectors");
  for (const auto& [name, values] : vectors.items()) {
    if (!values.is_array()) continue;
    for (const json& value : values) out.vectors[name].push_back(finite_or_nan(value));
  }
  out.descriptions = parse_descriptions(take(rest, "describe"));
  out.rest = std::move(rest);
  return out;
}

Records parse_all(const std::vector<json>& lines) {
  Records out;
  for (const json& line : lines) {
    ADASSL_CHECK(line.is_object(), "[records] expected records that are JSON objects, got ",
                 line.type_name());
    if (auto record = parse(line)) out.push_back(std::move(*record));
  }
  return out;
}

json to_json(const Record& record) {
  json out = record.rest;
  out["kind"] = record.kind;
  const std::array<std::pair<const char*, const std::string*>, 5> texts = {
      {{"row", &record.row},
       {"method", &record.method},
       {"config_hash", &record.config_hash},
       {"commit", &record.commit},
       {"time", &record.time}}};
  for (const auto& [key, text] : texts) {
    if (!text->empty()) out[key] = *text;
  }
  if (record.seed) out["seed"] = *record.seed;
  if (record.step) out["step"] = *record.step;
  if (record.final) out["final"] = *record.final;
  if (!record.host.is_null()) out["host"] = record.host;
  const bool has_numbers =
      record.kind == kEvaluation || record.kind == kMilestone || record.kind == kUntrained;
  if (has_numbers || !record.metrics.empty()) out["metrics"] = record.metrics;
  if (has_numbers || !record.vectors.empty()) out["vectors"] = record.vectors;
  if (!record.descriptions.empty()) out["describe"] = to_json(record.descriptions);
  return out;
}

std::string to_lines(const Records& records) {
  std::string out;
  for (const Record& record : records) {
    out += storage::json_text(to_json(record)) + "\n";
  }
  return out;
}

std::string row_of(const Record& record) {
  if (!record.row.empty()) return record.row;
  return record.method.empty() ? "run" : record.method;
}

Descriptions descriptions_of(const Records& records) {
  Descriptions out;
  for (const Record& record : records) {
    out.insert(record.descriptions.begin(), record.descriptions.end());
  }
  return out;
}

}  // namespace adassl::records
