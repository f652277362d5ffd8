#include "adassl/app/inspect_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "adassl/core/text.h"

namespace adassl::app {
namespace {

using nlohmann::ordered_json;

constexpr size_t kShown = 10;  // damaged files and sets of duplicates in the text
constexpr size_t kShownColumns = 40;

const char* name_of(Column::Kind kind) {
  switch (kind) {
    case Column::Kind::kReal:
      return "real";
    case Column::Kind::kAngle:
      return "angle";
    case Column::Kind::kClass:
      return "class";
    default:
      return "binary";
  }
}

ordered_json as_json(const data::Spread& spread) {
  return {{"least", spread.least}, {"median", spread.median}, {"most", spread.most}};
}

std::string as_text(const data::Spread& spread) {
  return spread.least == spread.most
             ? std::to_string(spread.least)
             : fmt::format("{} to {}, median {}", spread.least, spread.most, spread.median);
}

/// The kind under which a column is probed; "" if it is no ground truth.
std::string probed_as(const data::Files& files, const std::string& name) {
  for (const Column& column : files.truth().columns) {
    if (column.name == name) return name_of(column.kind);
  }
  return "";
}

int64_t different_values(const data::DataColumn& column) {
  if (column.is_text()) return static_cast<int64_t>(column.words.size());
  std::vector<double> sorted = column.numbers;
  std::ranges::sort(sorted);
  return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
}

ordered_json as_json(const data::PairChanges& changes) {
  ordered_json out = {{"pairs", changes.pairs}, {"columns", ordered_json::array()}};
  for (const data::ColumnChange& one : changes.columns) {
    out["columns"].push_back({{"name", one.column.name},
                              {"kind", name_of(one.column.kind)},
                              {"pairs", one.pairs},
                              {"random", one.random}});
  }
  out["counts"] = changes.counts;
  return out;
}

/// What a pair keeps and what it changes, a line for each column.
std::vector<std::string> lines_of(const data::PairChanges& changes) {
  std::vector<std::string> out;
  for (const data::ColumnChange& one : changes.columns) {
    if (out.size() == kShownColumns) break;
    const char* shape = one.column.is_factor()
                            ? "{}: {:.2f} deviations apart in a pair, {:.2f} at random"
                            : "{}: differs in {:.1f} % of the pairs, in {:.1f} % at random";
    const double scale = one.column.is_factor() ? 1 : 100;
    out.push_back(one_line(
        fmt::format(fmt::runtime(shape), one.column.name, scale * one.pairs, scale * one.random)));
  }
  if (changes.columns.size() > out.size()) {
    out.push_back(
        fmt::format("and {} more columns (--json lists all)", changes.columns.size() - out.size()));
  }
  if (changes.counts.size() > 2) {
    std::vector<std::string> shares;
    for (size_t n = 0; n < changes.counts.size(); ++n) {
      if (changes.counts[n] == 0) continue;
      shares.push_back(fmt::format(
          "{} in {:.1f} %", n,
          100 * static_cast<double>(changes.counts[n]) / static_cast<double>(changes.pairs)));
    }
    out.push_back(fmt::format("of the {} columns with classes differ {}", changes.counts.size() - 1,
                              fmt::join(shares, ", ")));
  }
  return out;
}

/// A configuration to start from, for a named data set.
std::string_view configuration_for(std::string_view kind) {
  if (kind == "three_d_ident") return "configs/three-d-ident-adassl-v-linear.toml";
  return kind == "celeba" ? "configs/celeba-adassl-v.toml" : "configs/inat-adassl-v.toml";
}

/// In single quotes where a shell would otherwise change it.
std::string shell_quoted(const std::string& text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+";
  if (!text.empty() && text.find_first_not_of(kSafe) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

ordered_json as_json(const InspectReport& report) {
  const data::Inspection& found = report.found;
  const data::Split& split = report.files.split();
  ordered_json out = {{"samples", found.samples},
                      {"usable", found.samples - static_cast<int64_t>(found.unusable.size())},
                      {"pictures", found.pictures},
                      {"observation", report.files.shape().observation}};
  if (found.pictures > 0) {
    out["width"] = as_json(found.width);
    out["height"] = as_json(found.height);
  }
  out["unusable"] = ordered_json::array();
  for (const data::Unusable& one : found.unusable) {
    out["unusable"].push_back({{"path", one.name}, {"reason", one.reason}});
  }
  out["columns"] = ordered_json::array();
  for (const data::DataColumn& column : report.files.sample_set().columns()) {
    const std::string kind = probed_as(report.files, column.name);
    out["columns"].push_back({{"name", column.name},
                              {"values", column.is_text() ? "words" : "numbers"},
                              {"different", different_values(column)},
                              {"probed_as", kind.empty() ? ordered_json() : ordered_json(kind)}});
  }
  out["groups"] = found.groups;
  if (found.groups > 0) {
    out["group_sizes"] = as_json(found.group_sizes);
    out["group_pairs"] = as_json(found.group_pairs);
  }
  out["pairing"] = report.pairing;
  out["views"] = report.views;
  out["pairs"] = found.pairs;
  out["split"] = {{"how", split.how},
                  {"train", split.train.size()},
                  {"validation", split.validation.size()},
                  {"test", split.test.size()},
                  {"left_out", split.left_out}};
  out["duplicates"] = found.duplicates;
  out["equal_sets"] = found.equal_sets;
  out["similarity"] = {{"pairs", found.compared},
                       {"pair_distance", found.pair_distance},
                       {"random_distance", found.random_distance},
                       {"identical", found.identical}};
  out["changes"] = as_json(found.changes);
  out["false_negatives"] = found.false_negatives;
  out["warnings"] = found.warnings;
  out["standardised"] = report.standardised;
  out["page"] = report.page.empty() ? ordered_json() : ordered_json(report.page);
  out["sheet"] = report.sheet.empty() ? ordered_json() : ordered_json(report.sheet);
  out["train"] = report.train;
  return out;
}

std::vector<InspectLine> lines_of(const InspectReport& report) {
  const data::Inspection& found = report.found;
  std::vector<InspectLine> out;
  const auto say = [&](const char* name, std::string text) {
    out.push_back({name, std::move(text)});
  };
  say("samples", fmt::format("{} ({} usable), seen as [{}]", found.samples,
                             static_cast<size_t>(found.samples) - found.unusable.size(),
                             fmt::join(report.files.shape().observation, ", ")));
  if (found.pictures > 0) {
    say("width", as_text(found.width));
    say("height", as_text(found.height));
  }
  if (report.standardised) {
    say("numbers", "each less its mean and divided by its deviation, as training does it");
  }
  for (const data::DataColumn& column : report.files.sample_set().columns()) {
    const std::string kind = probed_as(report.files, column.name);
    say("column", fmt::format("{}: {} different {}{}", column.name, different_values(column),
                              column.is_text() ? "words" : "numbers",
                              kind.empty() ? "" : ", probed as " + kind));
  }
  if (found.groups > 0) {
    say("groups", fmt::format("{} for training, samples in a group: {}", found.groups,
                              as_text(found.group_sizes)));
  }
  say("pairs",
      fmt::format(
          "{} in an epoch{}", found.pairs,
          found.groups > 0 ? ", different ones in a group: " + as_text(found.group_pairs) : ""));
  say("split", data::description(report.files.split()));
  say("duplicates", std::to_string(found.duplicates));
  for (const auto& names : found.equal_sets) say("", one_line(text::list(names)));
  say("distance", fmt::format("{:.4g} within a pair, {:.4g} between random samples ({} pairs)",
                              found.pair_distance, found.random_distance, found.compared));
  bool first = true;
  for (std::string& line : lines_of(found.changes)) {
    say(std::exchange(first, false) ? "changes" : "", std::move(line));
  }
  if (found.groups > 0) {
    say("negatives", fmt::format("{:.2f} % of them belong to the anchor's own group",
                                 100 * found.false_negatives));
  }
  for (size_t i = 0; i < std::min(kShown, found.unusable.size()); ++i) {
    say("unusable", one_line(found.unusable[i].name + ": " + found.unusable[i].reason));
  }
  if (found.unusable.size() > kShown) {
    say("", fmt::format("and {} more (--json lists all)", found.unusable.size() - kShown));
  }
  for (const std::string& line : found.warnings) say("warning", one_line(line));
  if (!report.sheet.empty()) say("picture", report.sheet);
  if (!report.page.empty()) say("page", report.page);
  say("train with", report.train);
  return out;
}

void print(const InspectReport& report, std::ostream& out) {
  for (const InspectLine& line : lines_of(report)) {
    out << fmt::format("{:<12}{}\n", line.name, line.text);
  }
}

std::string train_command(const std::string& path, Config& config,
                          const std::vector<std::string>& overrides, double tolerance) {
  const std::string kind = config.read_text("data.kind", "files", "");
  const bool own = kind == "files";
  std::string out = "adassl train ";
  out += own ? shell_quoted(path)
             : join(configuration_for(kind), " ", shell_quoted("data.folder=" + path));
  const auto given = [&](std::string_view key) {
    return std::ranges::any_of(
        overrides, [&](const std::string& assignment) { return assignment.starts_with(key); });
  };
  for (const std::string& assignment : overrides) {
    if (own || !assignment.starts_with("data.kind=")) out += " " + shell_quoted(assignment);
  }
  if (own && !given("pairing.kind=")) {
    out += " pairing.kind=" + config.read_text("pairing.kind", "self", "");
  }
  if (tolerance > 0 && !given("samples.tolerate=")) {
    out += fmt::format(" samples.tolerate={:.2g}", tolerance);
  }
  return out;
}

}  // namespace adassl::app
