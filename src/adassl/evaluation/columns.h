#pragma once

#include <vector>

#include "adassl/data/source.h"
#include "adassl/nn/torch.h"

/// The factors and classes of observations, as tensors for probes.
namespace adassl::evaluation {

/// The columns that are numbers, in double precision: [N, F]. Undefined if there are none.
Tensor factors_of(const std::vector<Column>& columns, const Samples& samples);

/// The columns that are classes or binary: [N, K] integers. Undefined if there are none.
Tensor classes_of(const std::vector<Column>& columns, const Samples& samples);

/// The columns of classes_of, in the same order.
std::vector<Column> class_columns(const std::vector<Column>& columns);

}  // namespace adassl::evaluation
