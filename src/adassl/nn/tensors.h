#pragma once

#include <span>

#include "adassl/core/batch.h"
#include "adassl/core/random.h"
#include "adassl/nn/torch.h"

namespace adassl::nn {

/// A tensor over the array's own memory, which must outlive it; undefined when the array is empty.
Tensor view(const Array& array);

/// Observations as a network reads them: bytes become float32 numbers in [0, 1], and floating-point
/// numbers stay as they are.
Tensor unit_pixels(const Tensor& x);

/// A copy of a tensor's numbers as float32.
Array array_of(const Tensor& tensor);

/// The numbers of a contiguous float32 tensor.
std::span<const float> floats(const Tensor& tensor);

/// Draws that depend on the stream alone, in the type and on the device of `like`.
Tensor normal(int64_t rows, int64_t columns, const random::Stream& stream, const Tensor& like);
Tensor uniform(int64_t rows, int64_t columns, const random::Stream& stream, const Tensor& like);

/// Throws when a backward pass is asked for a gradient of its own. The backward passes of our
/// kernels call it: LibTorch would take their gradients for constants, and second derivatives for
/// zero.
void require_first_derivative(const char* where);

/// Rows of length 1 (as torch::nn::functional::normalize: the norm is at least 1e-12).
Tensor normalise(const Tensor& rows);

}  // namespace adassl::nn
