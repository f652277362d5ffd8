#include "adassl/nn/mlp.h"

#include <algorithm>
#include <string>

#include "adassl/core/error.h"
#include "adassl/nn/fused.h"

namespace adassl::nn {

Mlp::Mlp(const MlpShape& shape) : shape_(shape) {
  int64_t in = shape.in;
  for (size_t i = 0; i < shape.hidden.size(); ++i) {
    const std::string at = std::to_string(i);
    const bool bias = shape.bias && !shape.norm;
    linears_.push_back(register_module(
        "linear" + at, std::make_shared<Linear>(in, shape.hidden[i], bias, shape.init)));
    if (shape.norm) {
      norms_.push_back(register_module("norm" + at, std::make_shared<BatchNorm>(shape.hidden[i])));
    }
    in = shape.hidden[i];
  }
  linears_.push_back(
      register_module("linear" + std::to_string(shape.hidden.size()),
                      std::make_shared<Linear>(in, shape.out, shape.out_bias, shape.init)));
  int64_t widest = std::max(shape.in, shape.out);
  for (const int64_t width : shape.hidden) widest = std::max(widest, width);
  too_wide_ = widest > kernels::MlpPass::kWidest;
  if (fused() && too_wide_) {
    note_fallback(join("a network with a layer ", widest,
                       " wide takes the reference path: kernels ", "go up to a width of ",
                       kernels::MlpPass::kWidest));
  }
}

Tensor Mlp::reference(Tensor x) {
  for (size_t i = 0; i + 1 < linears_.size(); ++i) {
    x = linears_[i]->forward(x);
    if (shape_.norm) x = norms_[i]->forward(x);
    x = leaky_relu(x, shape_.slope);
  }
  return linears_.back()->forward(x);
}

bool Mlp::fits_kernels(const std::vector<Tensor>& views) const {
  if (!fused() || !fused_covers(linears_[0]->weight)) return false;
  for (const Tensor& view : views) {
    // What is not a matrix of this width is LibTorch's to take or to refuse.
    if (!fused_covers(view) || view.dim() != 2 || view.size(1) != shape_.in) return false;
    if (view.size(0) < (shape_.norm && is_training() ? 2 : 1)) return false;
  }
  if (too_wide_) return false;
  // With running statistics the kernel keeps nothing for gradients.
  return !shape_.norm || is_training() || !torch::GradMode::is_enabled();
}

std::vector<Tensor> Mlp::forward(const std::vector<Tensor>& views) {
  if (!fits_kernels(views)) {
    std::vector<Tensor> out;
    for (const Tensor& view : views) out.push_back(reference(view));
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
  // Without a norm training and inference are the same pass.
  return mlp_function(layers, views, is_training() || torch::GradMode::is_enabled(), memory_);
}

}  // namespace adassl::nn
