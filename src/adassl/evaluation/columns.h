#pragma once

#include <vector>

#include "adassl/data/source.h"
#include "adassl/nn/torch.h"

/// What is known of observations, as probes want it.
namespace adassl::evaluation {

/// The columns that are numbers, in double: [N, F]; undefined where there are none.
Tensor factors_of(const std::vector<Column>& columns, const Samples& samples);

/// The columns that are classes, or yes and no: [N, K] of whole numbers; undefined where there are
/// none.
Tensor classes_of(const std::vector<Column>& columns, const Samples& samples);

/// These columns alone, in the same order.
std::vector<Column> class_columns(const std::vector<Column>& columns);

}  // namespace adassl::evaluation
