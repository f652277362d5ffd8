#pragma once

#include <span>

#include "adassl/core/batch.h"
#include "adassl/core/random.h"
#include "adassl/nn/torch.h"

namespace adassl::nn {

/// A tensor over the array's own memory, which must outlive it; undefined when the array is empty.
Tensor view(const Array& array);

/// The numbers of a contiguous float32 tensor.
std::span<const float> floats(const Tensor& tensor);

/// Draws that depend on the stream alone, in the type and on the device of `like`.
Tensor normal(int64_t rows, int64_t columns, const random::Stream& stream, const Tensor& like);
Tensor uniform(int64_t rows, int64_t columns, const random::Stream& stream, const Tensor& like);

/// Rows of length 1 (as torch::nn::functional::normalize: the norm is at least 1e-12).
Tensor normalise(const Tensor& rows);

}  // namespace adassl::nn
