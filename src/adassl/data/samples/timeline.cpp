#include <algorithm>
#include <cmath>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/data/groups.h"
#include "adassl/data/samples/names.h"
#include "adassl/data/samples/samples.h"

namespace adassl::data {
namespace {

/// The position of each sample within its sequence, by the natural order of the names.
std::vector<double> positions(const SampleSet& samples, const std::vector<int32_t>& sequences) {
  std::vector<int64_t> order(static_cast<size_t>(samples.count()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    const int32_t left = sequences[static_cast<size_t>(a)];
    const int32_t right = sequences[static_cast<size_t>(b)];
    return left != right ? left < right : natural_less(samples.name(a), samples.name(b));
  });
  std::vector<double> out(order.size());
  double position = 0;
  for (size_t k = 0; k < order.size(); ++k, ++position) {
    const auto at = static_cast<size_t>(order[k]);
    if (k > 0 && sequences[static_cast<size_t>(order[k - 1])] != sequences[at]) position = 0;
    out[at] = position;
  }
  return out;
}

}  // namespace

std::vector<double> times_of_column(const SampleSet& samples, const std::string& name) {
  const DataColumn& column = require_column(samples.columns(), name, "samples.time");
  ADASSL_CHECK(!column.is_text(), "[samples.time] expected a column of numbers, got '", name,
               "' with words such as '", column.words.front(), "'");
  for (int64_t i = 0; i < column.count(); ++i) {
    const double time = column.numbers[static_cast<size_t>(i)];
    ADASSL_CHECK(std::isfinite(time), "[samples.time] expected finite numbers, got ", time,
                 " in column '", name, "' of '", samples.name(i), "'");
  }
  return column.numbers;
}

Timeline timeline(const SampleSet& samples, const SampleOptions& options) {
  Timeline out;
  if (options.sequence.empty()) {
    out.sequences.assign(static_cast<size_t>(samples.count()), 0);
  } else {
    out.sequences = group_by(samples, options.sequence, "samples.sequence").of;
  }
  if (options.time.empty()) {
    out.times = positions(samples, out.sequences);
  } else {
    out.times = times_of_column(samples, options.time);
  }
  if (options.rate > 0) {
    for (double& time : out.times) time /= options.rate;
  }
  return out;
}

}  // namespace adassl::data
