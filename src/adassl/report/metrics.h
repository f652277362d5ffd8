#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/report/axes.h"

/// What the metrics of an evaluation are called and what they say.
namespace adassl::report {

struct Metric {
  std::string_view name;   // the key in a record
  std::string_view label;  // on a page
  std::string_view about;  // one line
  std::optional<bool> higher_is_better;
};

/// Every metric this page knows by name.
const std::vector<Metric>& known_metrics();
/// The entry of that name, or null.
const Metric* find_metric(std::string_view name);
/// Its label, or the name itself.
std::string metric_label(std::string_view name);

/// What an axis shows of this range. An R² ends at 1, but falls without bound where a probe
/// extrapolates; below -1 it only says "useless", and marks there become arrows.
Interval shown_range(std::string_view name, Interval range);

}  // namespace adassl::report
