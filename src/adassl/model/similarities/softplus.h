#pragma once

namespace adassl::model {

/// The softplus of this is 1, the initial value of every learned weight.
constexpr double kSoftplusInverseOfOne = 0.5413248546129181;

}  // namespace adassl::model
