#pragma once

#include <string>
#include <vector>

#include "adassl/data/source.h"
#include "adassl/nn/torch.h"

/// The factors and classes of observations, as tensors for probes.
namespace adassl::evaluation {

/// The columns that are numbers, in double precision: [N, F]. Undefined if there are none.
Tensor factors_of(const std::vector<Column>& columns, const Samples& samples);

/// The factors as targets of a regression, [N, T]: a number is one target, an angle two, its cosine
/// and its sine. No affine map gives an angle itself, which jumps where the circle closes.
/// Undefined if there are no factors.
Tensor targets_of(const std::vector<Column>& columns, const Samples& samples);

/// Adds what belongs to one factor: [M, T] -> [M, F].
Tensor sum_by_factor(const std::vector<Column>& columns, const Tensor& of_targets);

/// R2 of predicted targets for each factor, [N, T], [N, T] -> [F]. The cosine and the sine of an
/// angle share one R2: errors and variances are added before they are divided.
Tensor r_squared_by_factor(const std::vector<Column>& columns, const Tensor& predicted,
                           const Tensor& targets);

/// The names of the columns of factors_of, in the same order.
std::vector<std::string> factor_names(const std::vector<Column>& columns);

/// The columns that are classes or binary: [N, K] integers. Undefined if there are none.
Tensor classes_of(const std::vector<Column>& columns, const Samples& samples);

/// The columns of classes_of, in the same order.
std::vector<Column> class_columns(const std::vector<Column>& columns);

}  // namespace adassl::evaluation
