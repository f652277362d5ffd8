#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace adassl::report
