#pragma once

namespace adassl::model {

/// softplus of this is 1: where every learned weight starts.
constexpr double kSoftplusInverseOfOne = 0.5413248546129181;

}  // namespace adassl::model
