#include "adassl/study/probed_column.h"

#include <map>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/groups.h"

namespace adassl::study {
namespace {

/// Whether two groups have a value in common. A sample of group -1 is a group on its own.
bool share_a_value(const std::vector<int64_t>& groups, const std::vector<float>& values) {
  std::map<float, int64_t> group_with;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto [known, first] = group_with.try_emplace(values[i], groups[i]);
    if (!first && (groups[i] < 0 || known->second != groups[i])) return true;
  }
  return false;
}

}  // namespace

ProbedColumn probed_column(const SeenSamples& samples, const std::string& column,
                           const std::string& by) {
  const auto truth = data::ground_truth(samples.set->columns(), samples.set->declared());
  std::vector<std::string> known;
  for (const Column& one : truth.columns) known.push_back(one.name);
  for (size_t c = 0; c < truth.columns.size(); ++c) {
    if (truth.columns[c].name != column) continue;
    std::vector<float> values;
    for (const int64_t i : samples.usable) values.push_back(truth.value(c, i));
    const bool angle = truth.columns[c].kind == Column::Kind::kAngle;
    const Tensor numbers = torch::tensor(values, torch::kFloat32);
    ProbedColumn out{angle ? torch::stack({numbers.cos(), numbers.sin()}, 1) : numbers,
                     truth.columns[c].class_count(),
                     {}};
    if (by.empty()) {
      out.groups.assign(values.size(), -1);
      return out;
    }
    const data::Groups groups = data::group_by(*samples.set, by, "--by");
    for (const int64_t i : samples.usable) out.groups.push_back(groups.of[static_cast<size_t>(i)]);
    ADASSL_CHECK(out.classes == 0 || share_a_value(out.groups, values), "[probe] --by ", by,
                 ": expected groups that share values of '", column,
                 "', got a value in each group that no other has: none could be predicted");
    return out;
  }
  throw Error(join("[probe] expected a column of the data that can be probed, ",
                   known.empty() ? "which has none (samples.table=FILE.csv names a table)"
                                 : join("one of ", text::list(known)),
                   ", got '", column, "'", text::did_you_mean(column, known)));
}

}  // namespace adassl::study
