#include "adassl/report/density_panels.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "adassl/report/axes.h"
#include "adassl/report/contour.h"
#include "adassl/report/html.h"
#include "adassl/report/table_html.h"

namespace adassl::report {
namespace {

constexpr double kSize = 170, kLeft = 26, kTop = 4, kSide = 140;
constexpr double kBlur = 1.2;  // cells; enough to calm the noise of a few thousand samples
constexpr double kBands[] = {0.9, 0.7, 0.5, 0.3, 0.1};
constexpr double kOutlines[] = {0.9, 0.5};

/// A panel whose counts do not fit is shown as not available.
Grid counts_of(const Json& panel, const char* key) {
  constexpr double kMostBins = 4096;
  const double asked = number_of(panel, "bins").value_or(0);
  const Grid none{1, 1, {0}};
  if (!(asked >= 1 && asked <= kMostBins)) return none;
  const auto bins = static_cast<int64_t>(asked);
  Grid grid{bins, bins, numbers_of(panel, key)};
  if (static_cast<int64_t>(grid.values.size()) != bins * bins) return none;
  for (double& value : grid.values) value = std::isfinite(value) && value > 0 ? value : 0;
  return smoothed(grid, kBlur);
}

/// All loops of one level as a single path. Grid points are the centres of the bins.
std::string path_of(const Grid& grid, double share) {
  const double level = level_of_share(grid, share);
  if (level <= 0) return "";
  std::string out;
  const double cell = kSide / static_cast<double>(grid.columns);
  for (const Loop& loop : contour(grid, level)) {
    char command = 'M';
    for (const Point& point : loop) {
      out += command + coordinate(kLeft + (point.x + 0.5) * cell) + " " +
             coordinate(kTop + kSide - (point.y + 0.5) * cell);
      command = 'L';
    }
    out += "Z";
  }
  return out;
}

Interval bounds_of(const Json& panel, const char* key) {
  const std::vector<double> ends = numbers_of(panel, key);
  if (ends.size() != 2 || !(ends[1] > ends[0])) return {0, 1};
  return {ends[0], ends[1]};
}

std::string frame_of(const Json& panel) {
  const Scale x{bounds_of(panel, "x_range"), {kLeft, kLeft + kSide}};
  const Scale y{bounds_of(panel, "y_range"), {kTop + kSide, kTop}};
  std::string out = fmt::format(
      R"_(<rect x="{}" y="{}" width="{}" height="{}" fill="var(--paper)" stroke="var(--hair)"/>)_",
      kLeft, kTop, kSide, kSide);
  const auto x_ticks = nice_ticks(x.from, 4);
  const auto x_texts = tick_texts(x_ticks);
  for (size_t i = 0; i < x_ticks.size(); ++i) {
    out += fmt::format(R"(<text class="small" x="{}" y="{}" text-anchor="middle">{}</text>)",
                       coordinate(x(x_ticks[i])), kTop + kSide + 12, typeset(x_texts[i]));
  }
  const auto y_ticks = nice_ticks(y.from, 4);
  const auto y_texts = tick_texts(y_ticks);
  for (size_t i = 0; i < y_ticks.size(); ++i) {
    out += fmt::format(R"(<text class="small" x="{}" y="{}" dy="3" text-anchor="end">{}</text>)",
                       kLeft - 4, coordinate(y(y_ticks[i])), typeset(y_texts[i]));
  }
  out += fmt::format(R"(<text class="small" x="{}" y="{}" text-anchor="middle">{}</text>)",
                     kLeft + kSide / 2, kSize, escaped(text_of(panel, "x_label")));
  out += fmt::format(R"_(<text class="small" transform="translate(9 {}) rotate(-90)" )_"
                     R"(text-anchor="middle">{}</text>)",
                     kTop + kSide / 2, escaped(text_of(panel, "y_label")));
  return out;
}

std::string panel_svg(const Json& panel, const char* key, const std::string& colour, bool outline) {
  std::string out = fmt::format(
      R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{} against {}">)", kSize, kSize + 4,
      escaped(text_of(panel, "y_label")), escaped(text_of(panel, "x_label")));
  out += frame_of(panel);
  const Grid grid = counts_of(panel, key);
  bool empty = true;
  for (const double share : kBands) {
    const std::string path = path_of(grid, share);
    if (path.empty()) continue;
    empty = false;
    out +=
        fmt::format(R"(<path d="{}" fill="{}" fill-opacity="0.24" fill-rule="evenodd" stroke="{}" )"
                    R"(stroke-opacity="0.35" stroke-width="0.6"/>)",
                    path, colour, colour);
  }
  if (empty) {
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">n/a</text>)", kLeft + kSide / 2,
                       kTop + kSide / 2);
  }
  if (outline) {
    const Grid truth = counts_of(panel, "truth");
    for (const double share : kOutlines) {
      const std::string path = path_of(truth, share);
      if (path.empty()) continue;
      out += fmt::format(
          R"_(<path d="{}" fill="none" stroke="var(--ink)" stroke-width="1" stroke-opacity="0.8" )_"
          R"(stroke-dasharray="3 2.2"/>)",
          path);
    }
  }
  return out + "</svg>";
}

std::string card(const std::string& head, const Record& record, const char* key,
                 const std::string& colour, bool outline, const std::string& values) {
  std::string out = R"(<div class="card">)" + head + R"(<div class="panels">)";
  for (const Json& panel : child_of(record.rest, "panels")) {
    out += panel_svg(panel, key, colour, outline);
  }
  return out + "</div>" + values + "</div>\n";
}

}  // namespace

std::string density_cards(const Table& table, const Records& records) {
  std::map<std::string, const Record*> first_seed;
  for (const Record* record : latest_of(records, records::kDensity)) {
    first_seed.try_emplace(row_of(*record), record);
  }
  if (first_seed.empty()) return "";
  const Table distances = make_table(records, columns_in(kDensitySection, records));
  std::string out = R"(<div class="grid2">)", group;
  bool opened = false;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    const auto found = first_seed.find(row.name);
    if (found == first_seed.end()) continue;
    if (!opened || row.group != group) {  // each group of rows has a distribution of its own
      group = row.group;
      opened = true;
      const std::string note = fmt::format(" <small>samples of the true conditional{}</small>",
                                           group.empty() ? "" : ", " + escaped(group));
      out += card("<b>Truth</b>" + note, *found->second, "truth", "var(--muted)", false, "");
    }
    const std::string head = fmt::format(
        R"(<b><span class="swatch" style="background:{}"></span>{}</b> <small>seed {}</small>)",
        colour_of(row.colour), escaped(row.label), seed_of(*found->second));
    out += card(head, *found->second, "model", colour_of(row.colour), true,
                value_list(distances, distances.rows[i]));
  }
  return out + "</div>\n";
}

}  // namespace adassl::report
