#include "adassl/report/claims.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "adassl/core/text.h"
#include "adassl/report/numbers.h"

namespace adassl::report {
namespace {

using Values = std::map<std::string, double>;  // by row

std::vector<std::string> words_of(const Json& object, std::string_view key) {
  std::vector<std::string> out;
  const Json& list = child_of(object, key);
  if (!list.is_array()) return out;
  for (const Json& word : list) {
    if (word.is_string()) out.push_back(word.get<std::string>());
  }
  return out;
}

bool has_all(const Values& values, const std::vector<std::string>& rows) {
  return std::ranges::all_of(rows, [&](const std::string& row) {
    return values.contains(row) && std::isfinite(values.at(row));
  });
}

bool holds_with(const Claim& claim, const Values& values) {
  return std::ranges::all_of(claim.above, [&](const std::string& high) {
    return std::ranges::all_of(
        claim.below, [&](const std::string& low) { return values.at(high) > values.at(low); });
  });
}

void hold_to_records(Claim& claim, const Records& records) {
  std::map<int64_t, Values> trials;
  for (const Record* evaluation : latest_of(records, records::kEvaluation)) {
    const auto value = metric_of(*evaluation, claim.metric);
    if (value) trials[seed_of(*evaluation)][row_of(*evaluation)] = *value;
  }
  for (const auto& [seed, values] : trials) {
    if (!has_all(values, claim.above) || !has_all(values, claim.below)) continue;
    (holds_with(claim, values) ? claim.holds : claim.fails).push_back(seed);
  }
}

/// "AdaSSL-V 0.432 and AdaSSL-S 0.420"
std::string numbers_text(const std::vector<std::string>& rows, const Claim& claim,
                         const Table& table) {
  std::vector<std::string> out;
  for (const std::string& name : rows) {
    const auto row = std::ranges::find(table.rows, name, &Row::name);
    if (row == table.rows.end()) continue;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].metric != claim.metric) continue;
      const std::string group = row->group.empty() ? "" : " (" + row->group + ")";
      out.push_back(fmt::format("{}{} {}", row->label, group, number_text(row->cells[i].mean)));
    }
  }
  return text::list(out);
}

}  // namespace

std::vector<Claim> claims_of(const Records& records) {
  std::vector<Claim> out;
  const Json* study = study_of(records);
  if (study == nullptr) return out;
  for (const Json& claim : child_of(*study, "claims")) {
    out.push_back({text_of(claim, "says"),
                   text_of(claim, "metric"),
                   words_of(claim, "above"),
                   words_of(claim, "below"),
                   {},
                   {}});
    hold_to_records(out.back(), records);
  }
  return out;
}

std::string verdict(const Claim& claim, const Table& table) {
  if (claim.holds.empty() && claim.fails.empty()) return "open";
  if (claim.fails.empty()) return "yes";
  if (!claim.holds.empty()) return "mixed over seeds";
  return table.steps < table.paper_steps ? "not yet" : "no";
}

std::string seeds_text(const std::vector<int64_t>& seeds) {
  std::vector<std::string> out;
  for (const int64_t seed : seeds) out.push_back(std::to_string(seed));
  return (out.size() == 1 ? "seed " : "seeds ") + text::list(out);
}

std::string finding(const Claim& claim, const Table& table) {
  const size_t seeds = claim.holds.size() + claim.fails.size();
  if (seeds == 0) {
    return fmt::format("The paper finds that {}. No seed has all of these rows yet.", claim.says);
  }
  const std::string numbers =
      fmt::format("{}: {} against {}", label_of(table, claim.metric),
                  numbers_text(claim.above, claim, table), numbers_text(claim.below, claim, table));
  if (claim.fails.empty()) {
    const std::string each = seeds > 1 ? fmt::format(", with each of {} seeds", seeds) : "";
    return fmt::format("{}{} ({}).", capitalised(claim.says), each, numbers);
  }
  return fmt::format("The paper finds that {}. Here it does not hold with {}{} ({}).", claim.says,
                     seeds_text(claim.fails),
                     claim.holds.empty() ? "" : ", it holds with " + seeds_text(claim.holds),
                     numbers);
}

}  // namespace adassl::report
