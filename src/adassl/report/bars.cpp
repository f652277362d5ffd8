#include "adassl/report/bars.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "adassl/report/axes.h"
#include "adassl/report/html.h"
#include "adassl/report/numbers.h"
#include "adassl/report/records.h"

namespace adassl::report {
namespace {

constexpr double kWidth = 300, kHeight = 150, kTop = 24, kBottom = 20, kLeft = 36, kRight = 296;

std::string axis_of(const Scale& y) {
  std::string out;
  const auto ticks = nice_ticks(y.from, 3);
  const auto texts = tick_texts(ticks);
  for (size_t i = 0; i < ticks.size(); ++i) {
    const std::string at = coordinate(y(ticks[i]));
    out += fmt::format(R"(<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>)"
                       R"(<text class="small" x="{}" y="{}" dy="3" text-anchor="end">{}</text>)",
                       ticks[i] == 0 ? "axis" : "gridline", kLeft, kRight, at, at, kLeft - 6, at,
                       typeset(texts[i]));
  }
  return out;
}

/// Whether all names fit below their bars.
bool fit(const std::vector<std::string>& names, double step) {
  constexpr double kLetter = 5.6;
  return std::ranges::all_of(names, [&](const std::string& name) {
    return kLetter * static_cast<double>(display_width(name)) <= step;
  });
}

}  // namespace

std::string bars(const Bars& chart) {
  size_t count = 0;
  double low = 0;
  for (const auto& seed : chart.seeds) {
    count = std::max(count, seed.size());
    for (const double value : seed) low = std::isfinite(value) ? std::min(low, value) : low;
  }
  if (count == 0) return "";
  const Scale y{range_of({low, chart.top}), {kHeight - kBottom, kTop}};
  const double step = (kRight - kLeft) / static_cast<double>(count);
  const double width = std::max(1.0, std::min(step * 0.72, 34.0));
  const size_t every = 1 + count / 13;  // every so many positions have a number
  const bool named = chart.names.size() == count && fit(chart.names, step);
  const auto name_of = [&](size_t i) {
    return i < chart.names.size() ? escaped(chart.names[i]) : std::to_string(i + 1);
  };
  std::string out = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)", kWidth,
                                kHeight, escaped(chart.label));
  out += fmt::format(R"(<text class="small" x="0" y="10">{}</text>)", escaped(chart.label));
  out += axis_of(y);
  for (size_t i = 0; i < count; ++i) {
    std::vector<double> values;
    for (const auto& seed : chart.seeds) {
      if (i < seed.size()) values.push_back(seed[i]);
    }
    const Summary summary = summarize(values);
    const double centre = kLeft + (static_cast<double>(i) + 0.5) * step;
    if (summary.seeds > 0) {
      const double zero = y(0), end = y(summary.mean);
      out += fmt::format(
          R"(<rect x="{}" y="{}" width="{}" height="{}" rx="1.5" fill="{}" fill-opacity="0.75">)"
          R"(<title>{}: {}</title></rect>)",
          coordinate(centre - width / 2), coordinate(std::min(zero, end)), coordinate(width),
          coordinate(std::abs(zero - end)), colour_of(chart.colour), name_of(i),
          typeset(spread_text(summary.mean, summary.std)));
    } else {
      out += fmt::format(R"(<text class="small" x="{}" y="{}" text-anchor="middle">n/a</text>)",
                         coordinate(centre), coordinate(y(0) - 4));
    }
    for (const double value : values) {
      if (!std::isfinite(value) || summary.seeds < 2) continue;
      out += fmt::format(R"_(<circle cx="{}" cy="{}" r="1.8" fill="var(--ink)" opacity="0.7"/>)_",
                         coordinate(centre), coordinate(y(value)));
    }
    if (named || i % every == 0) {
      out +=
          fmt::format(R"(<text class="small" x="{}" y="{}" text-anchor="middle">{}</text>)",
                      coordinate(centre), kHeight - 6, named ? name_of(i) : std::to_string(i + 1));
    }
  }
  return out + "</svg>";
}

}  // namespace adassl::report
