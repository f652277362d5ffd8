#include "adassl/nn/tensors.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/kernels/noise.h"

namespace adassl::nn {
namespace {

using Fill = void (*)(std::span<float>, int64_t, const random::Stream&, int64_t);

Tensor drawn(Fill fill, int64_t rows, int64_t columns, const random::Stream& stream,
             const Tensor& like) {
  // The values are always drawn on the CPU, so that they do not depend on the device.
  Tensor out = torch::empty({rows, columns}, torch::kFloat32);  // [rows, columns]
  fill({out.data_ptr<float>(), static_cast<size_t>(out.numel())}, columns, stream, 0);
  return out.to(like.options());
}

}  // namespace

Tensor view(const Array& array) {
  if (array.empty()) return {};
  // from_blob takes a mutable pointer, but nothing writes to a view of a batch.
  if (array.element() == Element::kUint8) {
    return torch::from_blob(const_cast<uint8_t*>(array.bytes.data()), array.shape, torch::kUInt8);
  }
  return torch::from_blob(const_cast<float*>(array.values.data()), array.shape, torch::kFloat32);
}

Tensor unit_pixels(const Tensor& x) {
  return x.scalar_type() == torch::kUInt8 ? x.to(torch::kFloat32).div_(255) : x;
}

Array array_of(const Tensor& tensor) {
  const Tensor plain = tensor.to(torch::kFloat32).contiguous();
  Array out = make_array(plain.sizes().vec());
  std::ranges::copy(floats(plain), out.values.begin());
  return out;
}

std::vector<double> doubles(const Tensor& tensor) {
  const Tensor plain = tensor.to(torch::kFloat64).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

std::span<const float> floats(const Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

Tensor normal(int64_t rows, int64_t columns, const random::Stream& stream, const Tensor& like) {
  return drawn(&kernels::fill_normal, rows, columns, stream, like);
}

Tensor uniform(int64_t rows, int64_t columns, const random::Stream& stream, const Tensor& like) {
  return drawn(&kernels::fill_uniform, rows, columns, stream, like);
}

void require_first_derivative(const char* where) {
  // LibTorch enables gradients during a backward pass only if create_graph is set.
  ADASSL_CHECK(!torch::GradMode::is_enabled(), "[", where,
               "] has no second derivative; the reference kernels do");
}

Tensor normalise(const Tensor& rows) {
  return rows / rows.norm(2, {1}, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace adassl::nn
