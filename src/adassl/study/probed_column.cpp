#include "adassl/study/probed_column.h"

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/groups.h"

namespace adassl::study {
namespace {

int64_t classes_of(const Column& column) {
  if (column.is_factor()) return 0;
  return column.kind == Column::Kind::kBinary ? 2 : column.classes;
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
                     classes_of(truth.columns[c]),
                     {}};
    if (by.empty()) {
      out.groups.assign(values.size(), -1);
      return out;
    }
    const data::Groups groups = data::group_by(*samples.set, by, "--by");
    for (const int64_t i : samples.usable) out.groups.push_back(groups.of[static_cast<size_t>(i)]);
    return out;
  }
  throw Error(join("[probe] expected a column of the data that can be probed, one of ",
                   text::list(known), ", got '", column, "'", text::did_you_mean(column, known),
                   known.empty() ? "; samples.table=FILE.csv names a table with columns" : ""));
}

}  // namespace adassl::study
