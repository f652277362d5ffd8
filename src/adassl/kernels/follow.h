#pragma once

#include <span>

namespace adassl::kernels {

/// average <- momentum average + (1 - momentum) values, in one pass; what has arrived stays. Both
/// of one length.
void follow(std::span<const float> values, std::span<float> average, double momentum);

}  // namespace adassl::kernels
