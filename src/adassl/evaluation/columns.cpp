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

Tensor targets_of(const std::vector<Column>& columns, const Samples& samples) {
  const Tensor factors = factors_of(columns, samples);
  if (!factors.defined()) return factors;
  std::vector<Tensor> out;
  int64_t number = 0;
  for (const Column& column : columns) {
    if (!column.is_factor()) continue;
    const Tensor values = factors.select(1, number++);
    if (column.kind == Column::Kind::kAngle) {
      out.push_back(values.cos());
      out.push_back(values.sin());
    } else {
      out.push_back(values);
    }
  }
  return torch::stack(out, 1);
}

Tensor sum_by_factor(const std::vector<Column>& columns, const Tensor& of_targets) {
  std::vector<Tensor> out;
  int64_t first = 0;
  for (const Column& column : columns) {
    if (!column.is_factor()) continue;
    const int64_t width = column.kind == Column::Kind::kAngle ? 2 : 1;
    out.push_back(of_targets.narrow(1, first, width).sum(1));
    first += width;
  }
  return torch::stack(out, 1);
}

Tensor r_squared_by_factor(const std::vector<Column>& columns, const Tensor& predicted,
                           const Tensor& targets) {
  const Tensor error = (targets - predicted).square().sum(0, /*keepdim=*/true);
  const Tensor total = (targets - targets.mean(0)).square().sum(0, /*keepdim=*/true);
  return (1 - sum_by_factor(columns, error) / sum_by_factor(columns, total)).squeeze(0);
}

std::vector<std::string> factor_names(const std::vector<Column>& columns) {
  std::vector<std::string> out;
  for (const Column& column : columns) {
    if (column.is_factor()) out.push_back(column.name);
  }
  return out;
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
