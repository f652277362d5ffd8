#include "adassl/records/run_records.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/core/hash.h"
#include "adassl/core/text.h"
#include "adassl/records/describe.h"
#include "adassl/records/rule.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"

namespace adassl::records {
namespace {

using nlohmann::json;

/// The lines of metrics.jsonl that make the curve: those with the most values, and that of the
/// untrained model, which has no loss. If some steps were probed, these are the probed steps.
std::vector<json> lines_of_curve(const storage::RunDirectory& run) {
  std::vector<json> lines = storage::read_good_json_lines(run.metrics());
  std::erase_if(lines, [](const json& line) { return !line.is_object(); });
  const auto untrained = [](const json& line) {
    return line.contains("step") && line["step"] == 0;
  };
  size_t most = 0;
  for (const json& line : lines) most = untrained(line) ? most : std::max(most, line.size());
  std::erase_if(lines, [&](const json& line) { return line.size() < most && !untrained(line); });
  return lines;
}

json points_of(const std::vector<json>& lines) {
  json points = json::object();
  for (const json& line : lines) {
    for (const auto& [name, value] : line.items()) points[name] = json::array();
  }
  for (const json& line : lines) {
    for (auto& [name, values] : points.items()) {
      values.push_back(line.contains(name) ? line[name] : json(nullptr));
    }
  }
  return points;
}

}  // namespace

std::string hash_of(const storage::RunDirectory& run) {
  return text::hex(hash(storage::read_file(run.config(), kLargestConfig)));
}

Records read_records(const storage::RunDirectory& run) {
  Records out;
  if (!std::filesystem::exists(run.records())) return out;
  for (const json& line : storage::read_good_json_lines(run.records())) {
    if (auto record = parse(line)) out.push_back(std::move(*record));
  }
  return out;
}

Records run_records(const storage::RunDirectory& run) {
  Records out = read_records(run);
  if (!std::filesystem::exists(run.metrics())) return out;
  const std::vector<json> lines = lines_of_curve(run);
  if (lines.empty()) return out;
  Record curve{.kind = std::string(kCurve)};
  curve.descriptions = read_descriptions(run.descriptions());
  curve.rest["points"] = points_of(lines);
  out.push_back(std::move(curve));
  return out;
}

bool is_finished(const storage::RunDirectory& run) {
  if (!std::filesystem::exists(run.encoder())) return false;
  const std::string own = hash_of(run);
  return std::ranges::any_of(read_records(run),
                             [&](const Record& record) { return is_result(record, own); });
}

Descriptions read_descriptions(const std::filesystem::path& path) {
  constexpr uintmax_t kLargest = 1 << 20;
  std::error_code unseen;
  if (!std::filesystem::exists(path, unseen)) return {};
  try {
    return parse_descriptions(json::parse(storage::read_file(path, kLargest), nullptr,
                                          /*allow_exceptions=*/false));
  } catch (const Error&) {
    return {};
  }
}

void write_descriptions(const std::filesystem::path& path, const Descriptions& descriptions) {
  storage::write_atomically(path, storage::json_text(to_json(descriptions), 1) + "\n");
}

}  // namespace adassl::records
