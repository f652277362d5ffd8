#pragma once

#include <span>

namespace adassl::kernels {

/// average <- momentum average + (1 - momentum) values, in one pass. An average that equals its
/// value does not change. Both spans must have the same length.
void follow(std::span<const float> values, std::span<float> average, double momentum);

}  // namespace adassl::kernels
