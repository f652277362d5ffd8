#include "adassl/storage/run_records.h"

#include <algorithm>

#include "adassl/core/hash.h"
#include "adassl/core/text.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"

namespace adassl::storage {

using nlohmann::json;

std::string hash_of(const RunDirectory& run) {
  return text::hex(hash(read_file(run.config(), kLargestConfig)));
}

namespace {

/// What a record holds under these keys is used without asking again.
bool is_well_formed(const json& record) {
  if (!record.is_object() || !record.contains("kind") || !record["kind"].is_string()) return false;
  const auto missing_or = [&](const char* key, bool (json::*is)() const noexcept) {
    return !record.contains(key) || (record[key].*is)();
  };
  return missing_or("config_hash", &json::is_string) &&
         missing_or("step", &json::is_number_integer) && missing_or("metrics", &json::is_object) &&
         missing_or("vectors", &json::is_object);
}

}  // namespace

std::vector<json> run_records(const RunDirectory& run) {
  std::vector<json> out;
  if (std::filesystem::exists(run.records())) out = read_good_json_lines(run.records());
  std::erase_if(out, [](const json& record) { return !is_well_formed(record); });
  if (!std::filesystem::exists(run.metrics())) return out;
  std::vector<json> lines = read_good_json_lines(run.metrics());
  std::erase_if(lines, [](const json& line) { return !line.is_object(); });
  // Where some steps were probed, these are the curve: they have the most numbers.
  size_t most = 0;
  for (const json& line : lines) most = std::max(most, line.size());
  std::erase_if(lines, [&](const json& line) { return line.size() < most; });
  json points = json::object();
  for (const json& line : lines) {
    for (const auto& [name, value] : line.items()) points[name] = json::array();
  }
  for (const json& line : lines) {
    for (auto& [name, values] : points.items()) {
      values.push_back(line.contains(name) ? line[name] : json(nullptr));
    }
  }
  if (!lines.empty()) out.push_back({{"kind", "curve"}, {"points", points}});
  return out;
}

bool is_finished(const RunDirectory& run) {
  if (!std::filesystem::exists(run.records()) || !std::filesystem::exists(run.encoder())) {
    return false;
  }
  const std::vector<json> records = read_good_json_lines(run.records());
  const std::string own = hash_of(run);
  return std::any_of(records.begin(), records.end(),
                     [&](const json& record) { return is_result(record, own); });
}

bool is_result(const json& record, const std::string& own_hash) {
  const auto is = [&](const char* key, const json& value) {
    return record.is_object() && record.contains(key) && record[key] == value;
  };
  return is("kind", "evaluation") && is("final", true) &&
         (is("config_hash", own_hash) || !record.contains("config_hash"));
}

}  // namespace adassl::storage
