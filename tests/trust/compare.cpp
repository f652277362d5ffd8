#include "trust/compare.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace adassl::trust {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::bytes_of;

json without_times(json record) {
  for (const char* key : {"time", "host", "commit"}) record.erase(key);
  for (const char* key : {"metrics", "describe"}) {
    if (!record.contains(key)) continue;
    record[key].erase("wall_seconds");
    if (record[key].empty()) record.erase(key);  // a record that never knew a time lacks it, too
  }
  return record;
}

std::vector<json> records_in(const fs::path& path) {
  std::vector<json> out;
  std::istringstream lines(bytes_of(path));
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line, nullptr, /*allow_exceptions=*/false);
    out.push_back(record.is_object() ? without_times(record) : json("a damaged line"));
  }
  return out;
}

std::string difference_between_files(const fs::path& path, const fs::path& reference) {
  if (!fs::exists(reference)) return "";
  if (!fs::exists(path)) return path.filename().string() + " is missing";
  const std::string bytes = bytes_of(path);
  const std::string expected = bytes_of(reference);
  if (bytes == expected) return "";
  return path.filename().string() + " differs (" + std::to_string(bytes.size()) + " bytes, not " +
         std::to_string(expected.size()) + ", or other ones)";
}

}  // namespace

fs::path newest_checkpoint(const fs::path& run) {
  fs::path newest;
  std::error_code none;
  for (const auto& item : fs::directory_iterator(run / "checkpoints", none)) {
    const bool whole = item.path().extension() == ".safetensors";
    if (whole && item.path().filename() > newest.filename()) newest = item.path();
  }
  return newest;
}

std::string fault_of_page(const fs::path& page) {
  if (bytes_of(page).find("</html>") != std::string::npos) return "";
  return page.filename().string() + (fs::exists(page) ? " is not whole" : " is missing");
}

std::string difference_between_records(const fs::path& records, const fs::path& reference,
                                       Repeated repeated) {
  std::vector<json> expected = records_in(reference);
  std::vector<json> got = records_in(records);
  if (repeated == Repeated::kMay) {
    for (auto* list : {&expected, &got}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }
  if (got == expected) return "";
  std::string kinds;
  for (const json& record : got) {
    kinds += record.is_object() ? " " + record.value("kind", "?") : " damaged";
  }
  return "records.jsonl differs: " + std::to_string(got.size()) + " records, not " +
         std::to_string(expected.size()) + ", or other ones (" + kinds + " )";
}

std::string difference_between_runs(const fs::path& run, const fs::path& reference) {
  for (const char* name :
       {"config.toml", "given.toml", "metrics.jsonl", "describe.json", "encoder.safetensors"}) {
    const std::string difference = difference_between_files(run / name, reference / name);
    if (!difference.empty()) return difference;
  }
  const fs::path newest = newest_checkpoint(run);
  const fs::path expected = newest_checkpoint(reference);
  if (newest.filename() != expected.filename()) {
    return "the newest checkpoint is '" + newest.filename().string() + "', not " +
           expected.filename().string();
  }
  const std::string weights = difference_between_files(newest, expected);
  if (!weights.empty()) return weights;
  const std::string records =
      difference_between_records(run / "records.jsonl", reference / "records.jsonl");
  return records.empty() ? fault_of_page(run / "report.html") : records;
}

}  // namespace adassl::trust
