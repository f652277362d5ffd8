#include "adassl/records/rule.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace adassl::records {
namespace {

int64_t step_of(const Record& record) { return record.step.value_or(0); }

/// The variants of a row share its evaluations. They have curves of their own,
/// "<variant>.<metric>", and health records of their own, which name the variant.
std::string variant_of(const Record& record) {
  const auto named = record.rest.find("variant");
  if (named != record.rest.end() && named->is_string()) return named->get<std::string>();
  const auto points = record.rest.find("points");
  if (points == record.rest.end()) return "";
  for (const auto& item : points->items()) {
    const size_t dot = item.key().find('.');
    if (dot != std::string::npos) return item.key().substr(0, dot);
  }
  return "";
}

/// Whether such records are made at several steps of a run, and those of each step count.
bool is_of_every_step(const Record& record) {
  return record.kind == kMilestone || record.kind == kNeighbours;
}

}  // namespace

bool is_own(const Record& record, const std::string& own_hash) {
  return record.config_hash.empty() || record.config_hash == own_hash;
}

bool is_result(const Record& record, const std::string& own_hash) {
  return record.kind == kEvaluation && record.final.value_or(false) && is_own(record, own_hash);
}

std::vector<const Record*> latest_of(const Records& records, std::string_view kind) {
  std::vector<std::string> rows;
  std::map<std::string, std::map<std::pair<int64_t, std::string>, const Record*>> found;
  for (const Record& record : records) {
    if (record.kind != kind) continue;
    const std::string row = row_of(record);
    if (!found.contains(row)) rows.push_back(row);
    const Record*& best = found[row][{record.seed.value_or(0), variant_of(record)}];
    if (best == nullptr || step_of(record) >= step_of(*best)) best = &record;
  }
  std::vector<const Record*> out;
  for (const std::string& row : rows) {
    for (const auto& [trial, record] : found[row]) out.push_back(record);
  }
  return out;
}

Records counting(const Records& records, const std::string& own_hash) {
  Records results;
  for (const Record& record : records) {
    if (is_result(record, own_hash)) results.push_back(record);
  }
  const auto result = latest_of(results, kEvaluation);
  const auto last_step = result.empty() ? std::nullopt : result.back()->step;
  const auto counts = [&](const Record& record) {
    if (!is_own(record, own_hash)) return false;
    if (record.kind == kEvaluation && !record.final.value_or(false)) return false;
    if (is_of_every_step(record) || record.kind == kUntrained) return true;
    return !record.step || record.step == last_step;
  };
  Records out;
  for (const Record& record : records) {
    if (!counts(record)) continue;
    const auto same = std::ranges::find_if(out, [&](const Record& other) {
      return other.kind == record.kind && (!is_of_every_step(record) || other.step == record.step);
    });
    if (same == out.end()) {
      out.push_back(record);
    } else {
      *same = record;
    }
  }
  const auto newest = latest_of(out, kMilestone);
  if (result.empty() && !newest.empty()) {
    Record stand_in = *newest.back();
    stand_in.kind = kEvaluation;
    stand_in.final = false;
    out.push_back(std::move(stand_in));
  }
  return out;
}

}  // namespace adassl::records
