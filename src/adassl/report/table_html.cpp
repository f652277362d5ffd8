#include "adassl/report/table_html.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "adassl/report/axes.h"
#include "adassl/report/html.h"
#include "adassl/report/numbers.h"

namespace adassl::report {
namespace {

struct Band {
  double mean, std;
};

Band ours_of(const Cell& cell) { return {cell.mean, std::isfinite(cell.std) ? cell.std : 0}; }
Band paper_of(const Cell& cell) {
  return {cell.paper_mean.value_or(NAN), cell.paper_std.value_or(0)};
}

Axis strip_axis(const Table& table, size_t column) {
  std::vector<double> ends;
  for (const Row& row : table.rows) {
    for (const Band& band : {ours_of(row.cells[column]), paper_of(row.cells[column])}) {
      ends.push_back(band.mean - band.std);
      ends.push_back(band.mean + band.std);
    }
  }
  return nice_axis(shown_range(table.columns[column].range, range_of(ends)), 3);
}

/// Percentages instead of a viewBox, so that dots stay round at any width of the column.
std::string percent(const Scale& scale, double value) {
  return fmt::format("{:.1f}%", std::clamp(scale(value), 0.0, 100.0));
}

std::string mark(const Band& band, const Scale& scale, int y, const std::string& colour,
                 bool filled) {
  if (!std::isfinite(band.mean)) return "";
  const double at = scale(band.mean);
  if (at < -0.01 || at > 100.01) {
    return fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" style="fill:{}">{}</text>)",
                       at < 0 ? "0%" : "100%", y + 4, at < 0 ? "start" : "end", colour,
                       at < 0 ? "◂" : "▸");
  }
  return fmt::format(R"(<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="{}"/>)"
                     R"(<circle cx="{}" cy="{}" r="{}" fill="{}" stroke="{}" stroke-width="1.5"/>)",
                     percent(scale, band.mean - band.std), percent(scale, band.mean + band.std), y,
                     y, colour, filled ? 2.5 : 1.5, percent(scale, band.mean), y, filled ? 4 : 3,
                     filled ? colour : "var(--paper)", colour);
}

std::string strip(const Row& row, const Cell& cell, const Axis& axis) {
  const Scale scale{axis.range, {0, 100}};
  std::string out = R"(<svg class="strip" aria-hidden="true">)";
  for (const double tick : axis.ticks) {
    const std::string x = percent(scale, tick);
    out += fmt::format(R"(<line class="gridline" x1="{}" x2="{}" y1="0" y2="24"/>)", x, x);
  }
  out += mark(paper_of(cell), scale, 17, "var(--muted)", false);
  out += mark(ours_of(cell), scale, 8, colour_of(row.colour), true);
  return out + "</svg>";
}

std::string scale_labels(const Axis& axis) {
  const Scale scale{axis.range, {0, 100}};
  const auto texts = tick_texts(axis.ticks);
  std::string out = R"(<svg class="scale" aria-hidden="true">)";
  for (size_t i = 0; i < axis.ticks.size(); ++i) {
    const double at = scale(axis.ticks[i]);
    const char* anchor = at < 5 ? "start" : at > 95 ? "end" : "middle";
    out += fmt::format(R"(<text class="small" x="{}" y="12" text-anchor="{}">{}</text>)",
                       percent(scale, axis.ticks[i]), anchor, typeset(texts[i]));
  }
  return out + "</svg>";
}

/// Without an axis no strip is drawn.
std::string results_cell(const Row& row, const Cell& cell, const Axis* axis) {
  std::string theirs;
  if (cell.paper_mean) {
    std::string chip;
    if (cell.deviations) {
      const double size = std::abs(*cell.deviations);
      const char* tone = size <= 1 ? " near" : size > 2 ? " far" : "";
      chip = fmt::format(R"(<span class="chip{}">{}</span>)", tone,
                         typeset(deviations_text(*cell.deviations)));
    }
    theirs = fmt::format(R"(<div class="theirs"><span>○ {}</span>{}</div>)",
                         typeset(paper_text(cell)), chip);
  }
  const bool drawable = axis != nullptr && (cell.seeds > 0 || cell.paper_mean);
  return fmt::format(R"(<td{}><div class="ours">{}</div>{}{}</td>)",
                     cell.best ? R"( class="best")" : "", typeset(ours_text(row, cell)),
                     drawable ? strip(row, cell, *axis) : "", theirs);
}

std::string row_label(const Row& row, const std::string& note) {
  return fmt::format(R"(<th scope="row"><span class="swatch" style="background:{}"></span>{})"
                     R"(<small>{}</small></th>)",
                     colour_of(row.colour), escaped(row.label), note);
}

/// The upper level of a header whose columns are grouped.
std::string group_header(const std::vector<Column>& columns) {
  std::string cells;
  bool any = false;
  for (size_t c = 0; c < columns.size();) {
    size_t end = c;
    while (end < columns.size() && columns[end].group == columns[c].group) ++end;
    cells += fmt::format(R"(<th colspan="{}">{}</th>)", end - c, escaped(columns[c].group));
    any = any || !columns[c].group.empty();
    c = end;
  }
  return any ? R"(<tr class="over"><th></th>)" + cells + "</tr>" : "";
}

std::string group_row(const Row& row, std::string& group) {
  if (row.group == group) return "";
  group = row.group;
  return fmt::format(R"(<tr class="group"><th colspan="{}">{}</th></tr>)", row.cells.size() + 1,
                     escaped(group));
}

}  // namespace

std::string results_table(const Table& table) {
  const bool strips = table.has_paper() || table.rows.size() > 1;  // a single dot compares nothing
  std::vector<Axis> axes;
  std::string out = fmt::format(R"(<div class="scroll"><table class="results{}"><thead>)",
                                table.columns.size() > 4 ? " dense" : "");
  out += group_header(table.columns) + "<tr><th></th>";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    axes.push_back(strip_axis(table, c));
    const auto& better = table.columns[c].higher_is_better;
    out += fmt::format("<th>{}{}{}</th>", escaped(table.columns[c].label),
                       !better   ? ""
                       : *better ? " ↑"
                                 : " ↓",
                       strips ? scale_labels(axes.back()) : "");
  }
  out += "</tr></thead>\n<tbody>\n";
  std::string group;
  for (const Row& row : table.rows) {
    out += group_row(row, group) + "<tr>" + row_label(row, progress_text(table, row));
    for (size_t c = 0; c < row.cells.size(); ++c) {
      out += results_cell(row, row.cells[c], strips ? &axes[c] : nullptr);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string plain_table(const Table& table) {
  std::string out = R"(<div class="scroll"><table class="plain"><thead><tr><th></th>)";
  for (const Column& column : table.columns) out += "<th>" + escaped(column.label) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  std::string group;
  for (const Row& row : table.rows) {
    out += group_row(row, group) + "<tr>" + row_label(row, "");
    for (const Cell& cell : row.cells) out += "<td>" + typeset(ours_text(row, cell)) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string value_list(const Table& table, const Row& row, const std::string& style) {
  std::string out;
  for (size_t c = 0; c < row.cells.size(); ++c) {
    if (row.cells[c].seeds + row.cells[c].not_finite == 0) continue;
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(table.columns[c].label),
                       typeset(ours_text(row, row.cells[c])));
  }
  return out.empty() ? "" : fmt::format(R"(<dl class="values{}">)", style) + out + "</dl>";
}

std::string metrics_table(const Table& table) {
  std::string out = R"(<div class="scroll"><table class="plain"><thead><tr><th></th>)";
  for (const Row& row : table.rows) {
    const std::string group = row.group.empty() ? "" : row.group + ": ";
    out += "<th>" + escaped(group + row.label) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& metric = table.columns[c].metric;
    const std::string label = label_of(table, metric);
    out += R"(<tr><th scope="row">)" + escaped(metric);
    if (label != metric) out += R"( <span class="source">)" + escaped(label) + "</span>";
    out += "</th>";
    for (const Row& row : table.rows) {
      out += "<td>" + typeset(ours_text(row, row.cells[c])) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace adassl::report
