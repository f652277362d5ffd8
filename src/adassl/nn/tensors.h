#pragma once

#include <span>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/core/random.h"
#include "adassl/nn/torch.h"

/// Conversions between arrays and tensors, random tensors, and small helpers for autograd.
namespace adassl::nn {

/// A tensor of the array's shape that shares its memory, without a copy. The array must outlive the
/// tensor. If the array is empty, the tensor is undefined.
Tensor view(const Array& array);

/// Converts observations to the input of a network. Bytes are divided by 255 and become float32 in
/// [0, 1]. Floating-point tensors are returned unchanged. The shape stays the same.
Tensor unit_pixels(const Tensor& x);

/// A copy of a tensor's numbers as float32.
Array array_of(const Tensor& tensor);

/// A copy of a tensor's numbers in double precision, row by row.
std::vector<double> doubles(const Tensor& tensor);

/// The elements of a contiguous float32 CPU tensor of any shape. The tensor must outlive the span.
std::span<const float> floats(const Tensor& tensor);

/// Random tensors [rows, columns]: standard normal, or uniform in (0, 1). The values depend only on
/// the stream. The tensor has the data type and the device of `like`.
Tensor normal(int64_t rows, int64_t columns, const random::Stream& stream, const Tensor& like);
Tensor uniform(int64_t rows, int64_t columns, const random::Stream& stream, const Tensor& like);

/// Throws an Error if a backward pass runs with create_graph, that is, if its gradients shall be
/// differentiated again. The backward passes of our kernels call this, because they record no
/// graph: LibTorch would treat their gradients as constants and silently omit second derivatives.
void require_first_derivative(const char* where);

/// y_i = x_i / max(|x_i|, 1e-12) for each row, [N, d] -> [N, d], as in PyTorch's
/// functional.normalize.
Tensor normalise(const Tensor& rows);

}  // namespace adassl::nn
