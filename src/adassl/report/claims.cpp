#include "adassl/report/claims.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

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

/// What a seed's run of one row has reached.
struct Reached {
  std::map<int64_t, double> at;  // by step
  int64_t last = 0;              // the step of the newest evaluation
  bool finished = true;
};

using Trial = std::map<std::string, Reached>;  // by row

std::map<int64_t, Trial> trials_of(const Records& records, const std::string& metric) {
  std::map<int64_t, Trial> out;
  for (const Record* evaluation : latest_of(records, records::kEvaluation)) {
    const auto value = metric_of(*evaluation, metric);
    if (!value) continue;
    Reached& reached = out[seed_of(*evaluation)][row_of(*evaluation)];
    reached.last = evaluation->step.value_or(0);
    reached.finished = evaluation->final.value_or(true);
    reached.at[reached.last] = *value;
  }
  for (const Record& record : records) {
    const auto value = metric_of(record, metric);
    if (record.kind != records::kMilestone || !value || !record.step) continue;
    out[seed_of(record)][row_of(record)].at.emplace(*record.step, *value);
  }
  return out;
}

/// The numbers of these rows that may be compared: those at the end of each run or, if one is
/// unfinished, those at the last step at which all were evaluated. Empty if there are none.
Values comparable(const Trial& trial, const std::vector<std::string>& rows,
                  std::optional<int64_t>& step) {
  if (!std::ranges::all_of(rows, [&](const auto& row) { return trial.contains(row); })) return {};
  Values out;
  if (std::ranges::all_of(rows, [&](const auto& row) { return trial.at(row).finished; })) {
    for (const auto& row : rows) out[row] = trial.at(row).at.at(trial.at(row).last);
    return out;
  }
  for (const auto& number : trial.at(rows.front()).at) {
    const int64_t at = number.first;
    if (std::ranges::all_of(rows, [&](const auto& row) { return trial.at(row).at.contains(at); })) {
      step = at;
    }
  }
  if (!step) return {};
  for (const auto& row : rows) out[row] = trial.at(row).at.at(*step);
  return out;
}

void hold_to_records(Claim& claim, const Records& records) {
  std::vector<std::string> rows = claim.above;
  rows.insert(rows.end(), claim.below.begin(), claim.below.end());
  if (rows.empty()) return;
  for (const auto& [seed, trial] : trials_of(records, claim.metric)) {
    std::optional<int64_t> step;
    const Values values = comparable(trial, rows, step);
    if (!has_all(values, rows)) continue;
    (holds_with(claim, values) ? claim.holds : claim.fails).push_back(seed);
    for (const auto& [row, value] : values) claim.values[row].push_back(value);
    if (step) claim.steps.insert(*step);
  }
}

/// "AdaSSL-V 0.432 and AdaSSL-S 0.420"
std::string numbers_text(const std::vector<std::string>& rows, const Claim& claim,
                         const Table& table) {
  std::vector<std::string> out;
  for (const std::string& name : rows) {
    const auto row = std::ranges::find(table.rows, name, &Row::name);
    if (row == table.rows.end() || !claim.values.contains(name)) continue;
    const std::string group = row->group.empty() ? "" : " (" + row->group + ")";
    const double mean = summarize(claim.values.at(name)).mean;
    out.push_back(fmt::format("{}{} {}", row->label, group, number_text(mean)));
  }
  return text::list(out);
}

/// ", at step 25,000" where a run is unfinished
std::string steps_text(const Claim& claim) {
  if (claim.steps.empty()) return "";
  std::vector<std::string> out;
  for (const int64_t step : claim.steps) out.push_back(count_text(static_cast<double>(step)));
  return (out.size() == 1 ? ", at step " : ", at steps ") + text::list(out);
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
                   {},
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
  return is_early(claim, table) ? "not yet" : "no";
}

bool is_early(const Claim& claim, const Table& table) {
  return table.steps < table.paper_steps || !claim.steps.empty();
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
      fmt::format("{}{}: {} against {}", label_of(table, claim.metric), steps_text(claim),
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
