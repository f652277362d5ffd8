#include "adassl/nn/mlp.h"

#include <algorithm>
#include <string>
#include <utility>

#include "adassl/core/error.h"

namespace adassl::nn {
namespace {

constexpr int64_t kWide = 512;  // from this width on, bfloat16 is faster than float32

/// The bfloat16 chain computes a batch of rows as images with this many pixels each. Its kernels
/// distribute images over threads. An image should not be too large, because that leaves threads
/// idle, and not too small, because that leaves parts of a matrix tile unused. Returns the largest
/// divisor of `rows` from 32 to 256. If there is none, all rows are one image.
int64_t pixels_of_picture(int64_t rows) {
  for (int64_t pixels = std::min<int64_t>(rows, 256); pixels >= 32; --pixels) {
    if (rows % pixels == 0) return pixels;
  }
  return rows;
}

}  // namespace

Network mlp_network(const MlpShape& shape) {
  Network out;
  for (size_t i = 0; i < shape.hidden.size(); ++i) {
    const std::string at = std::to_string(i);
    out.push_back(linear("linear" + at, shape.hidden[i], shape.bias && !shape.norm, shape.init));
    if (shape.norm) out.push_back(norm("norm" + at));
    out.push_back(relu(shape.slope));
  }
  out.push_back(linear("linear" + std::to_string(shape.hidden.size()), shape.out, shape.out_bias,
                       shape.init));
  return out;
}

Mlp::Mlp(const MlpShape& shape, ComputePtr compute)
    : shape_(shape),
      compute_(std::move(compute)),
      network_(*this, mlp_network(shape), {shape.in}, compute_) {
  for (const BuiltLayer& at : network_.layers()) {
    if (at.linear) linears_.push_back(at.linear);
    if (at.norm) norms_.push_back(at.norm);
  }
  widest_ = std::max(shape.in, shape.out);
  for (const int64_t width : shape.hidden) widest_ = std::max(widest_, width);
  if (widest_ > kernels::MlpPass::kWidest &&
      !(compute_->multiplies_in_bf16() && shape.slope == 0)) {
    compute_->note_fallback(join("a network with a layer ", widest_,
                                 " wide takes the reference path: kernels ", "go up to a width of ",
                                 kernels::MlpPass::kWidest));
  }
}

bool Mlp::fits_kernels(const std::vector<Tensor>& views) const {
  if (!compute_->fuses(linears_[0]->weight)) return false;
  for (const Tensor& view : views) {
    // For any other shape, LibTorch decides whether it is valid.
    if (!compute_->fuses(view) || view.dim() != 2 || view.size(1) != shape_.in) return false;
    if (view.size(0) < (shape_.norm && is_training() ? 2 : 1)) return false;
  }
  if (widest_ > kernels::MlpPass::kWidest) return false;
  // The kernel has no gradients through running statistics.
  return !shape_.norm || is_training() || !torch::GradMode::is_enabled();
}

std::vector<ChainLayer> Mlp::chain_for(int64_t rows) const {
  const int64_t pixels = pixels_of_picture(rows);
  std::vector<ChainLayer> out;
  for (size_t i = 0; i < linears_.size(); ++i) {
    const Linear& linear = *linears_[i];
    out.push_back({{.images = rows / pixels,
                    .height = 1,
                    .width = pixels,
                    .in = linear.weight.size(1),
                    .out = linear.weight.size(0)},
                   linear.weight,
                   i < norms_.size() ? norms_[i].get() : nullptr,
                   linear.bias});
  }
  return out;
}

std::vector<int64_t> Mlp::parts_of(int64_t rows) const {
  constexpr int64_t kMost = 8192;  // limits memory: evaluations pass hundreds of thousands of rows
  constexpr int64_t kEven = 256;   // parts are multiples of this, except for the last part
  const bool one_batch = shape_.norm && is_training();
  const bool even = pixels_of_picture(rows) <= 2 * kEven;
  if (one_batch || (rows <= kMost && even)) return {rows};
  std::vector<int64_t> out;
  for (; rows >= kEven; rows -= out.back()) out.push_back(std::min(rows / kEven * kEven, kMost));
  if (rows > 0) out.push_back(rows);
  return out;
}

Footprint Mlp::footprint() const {
  if (!gains_by_bf16() || !compute_->multiplies_in_bf16()) return network_.footprint();
  // The chain keeps its input and the output of each linear layer in bfloat16, and recomputes the
  // activations. The result is widened to float32.
  const auto in_bf16 = [](int64_t numbers) { return (numbers + 1) / 2; };
  Footprint out{.kept = in_bf16(shape_.in) + shape_.out};
  for (const auto& linear : linears_) {
    const int64_t from = linear->weight.size(1), to = linear->weight.size(0);
    // The gradients of its input and output, and of its weight.
    out += {.kept = in_bf16(to), .working = in_bf16(from + to), .fixed = from * to};
  }
  return out;
}

bool Mlp::gains_by_bf16() const { return widest_ >= kWide && shape_.slope == 0; }

bool Mlp::fits_bf16(const std::vector<Tensor>& views) const {
  if (!gains_by_bf16()) return false;
  return std::ranges::all_of(views, [&](const Tensor& view) {
    if (view.dim() != 2 || view.size(0) == 0 || view.size(1) != shape_.in) return false;
    const int64_t rows = parts_of(view.size(0))[0];
    return chain_covers(view.slice(0, 0, rows), chain_for(rows), *compute_);
  });
}

Tensor Mlp::in_bf16(const Tensor& x) {
  const std::vector<int64_t> rows = parts_of(x.size(0));
  if (rows.size() == 1) return bf16_chain(x, chain_for(rows[0]), ChainEnd::kLinear);
  std::vector<Tensor> parts;
  for (const Tensor& part : x.split_with_sizes(rows)) {
    parts.push_back(bf16_chain(part, chain_for(part.size(0)), ChainEnd::kLinear));
  }
  return torch::cat(parts);
}

std::vector<Tensor> Mlp::forward(const std::vector<Tensor>& views) {
  const bool bf16 = fits_bf16(views);
  if (bf16 || !fits_kernels(views)) {
    std::vector<Tensor> out;
    for (const Tensor& view : views) {
      out.push_back(bf16 ? in_bf16(view) : network_.forward(view));
    }
    return out;
  }
  std::vector<MlpTensors> layers;
  for (size_t i = 0; i < linears_.size(); ++i) {
    MlpTensors layer;
    layer.weight = linears_[i]->weight;
    layer.bias = linears_[i]->bias;
    const bool hidden = i + 1 < linears_.size();
    if (hidden) layer.slope = static_cast<float>(shape_.slope);
    if (hidden && shape_.norm) {
      layer.gain = norms_[i]->weight;
      layer.shift = norms_[i]->bias;
      layer.running_mean = norms_[i]->running_mean;
      layer.running_var = norms_[i]->running_var;
    }
    layers.push_back(std::move(layer));
  }
  // If gradients are enabled in evaluation mode, fits_kernels has ruled out norms. Without norms,
  // a training pass computes the same values as inference.
  return mlp_function(layers, views, is_training() || torch::GradMode::is_enabled(), memory_);
}

Footprint footprint_of(const torch::nn::Module& part) {
  if (const auto* mlp = dynamic_cast<const Mlp*>(&part)) {
    Footprint out = mlp->footprint();
    out.kept += mlp->shape().in;
    return out;
  }
  if (const auto* linear = dynamic_cast<const Linear*>(&part)) {
    const int64_t numbers = linear->weight.size(0) + linear->weight.size(1);
    return {.kept = numbers, .working = numbers};
  }
  Footprint out;
  for (const auto& child : part.children()) out += footprint_of(*child);
  return out;
}

}  // namespace adassl::nn
