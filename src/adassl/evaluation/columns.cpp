#include "adassl/evaluation/columns.h"

#include <algorithm>
#include <iterator>

#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

Tensor chosen(const std::vector<Column>& columns, const Samples& samples, bool factors) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].is_factor() == factors) numbers.push_back(static_cast<int64_t>(i));
  }
  if (numbers.empty()) return {};
  return nn::view(samples.known).index_select(1, torch::tensor(numbers, torch::kInt64));
}

}  // namespace

Tensor factors_of(const std::vector<Column>& columns, const Samples& samples) {
  const Tensor out = chosen(columns, samples, true);
  return out.defined() ? out.to(torch::kFloat64) : out;
}

Tensor classes_of(const std::vector<Column>& columns, const Samples& samples) {
  const Tensor out = chosen(columns, samples, false);
  return out.defined() ? out.to(torch::kInt64) : out;
}

std::vector<Column> class_columns(const std::vector<Column>& columns) {
  std::vector<Column> out;
  std::ranges::copy_if(columns, std::back_inserter(out),
                       [](const Column& column) { return !column.is_factor(); });
  return out;
}

}  // namespace adassl::evaluation
