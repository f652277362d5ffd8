#include <cmath>

#include "adassl/nn/mlp.h"
#include "adassl/nn/tensors.h"
#include "adassl/theory/theory.h"

namespace adassl::theory {
namespace {

Tensor as_tensor(const Matrix& matrix) {
  return torch::tensor(matrix.values, torch::kFloat64)
      .view({static_cast<int64_t>(matrix.rows), static_cast<int64_t>(matrix.columns)});
}

Tensor activate(const Tensor& x, double slope, Activation activation) {
  if (activation == Activation::kLeaky) return nn::leaky_relu(x, slope);
  return slope * x + (1 - slope) * torch::softplus(x);
}

Tensor drawn(int64_t rows, int64_t columns, const random::Stream& stream) {
  return nn::normal(rows, columns, stream, torch::empty({0}, torch::kFloat64));
}

}  // namespace

Map mixing_map(const data::Mixing& mixing, int64_t activations, double slope,
               Activation activation) {
  std::vector<Tensor> weights;
  for (const Matrix& weight : mixing.weights()) weights.push_back(as_tensor(weight));
  return [=](const Tensor& z) {
    Tensor x = z;
    for (size_t layer = 0; layer < weights.size(); ++layer) {
      x = x.matmul(weights[layer].t());
      if (static_cast<int64_t>(layer) < activations) x = activate(x, slope, activation);
    }
    return x;
  };
}

Map leaky_encoder(int64_t in, int64_t out, uint64_t seed) {
  auto mlp = std::make_shared<nn::Mlp>(
      nn::MlpShape{.in = in, .hidden = {100, 100, 100, 100}, .out = out, .slope = 0.01});
  nn::initialise(*mlp, seed);
  mlp->to(torch::kFloat64);
  return [mlp](const Tensor& x) { return mlp->forward(x); };
}

Map smooth_network(int64_t in, int64_t out, const random::Stream& stream) {
  constexpr int64_t kHidden = 64;
  std::vector<Tensor> weights;
  std::vector<Tensor> biases;
  int64_t fan_in = in;
  for (const int64_t width : {kHidden, kHidden, out}) {
    const random::Stream layer = stream.named("layer " + std::to_string(weights.size()));
    weights.push_back(drawn(width, fan_in, layer) / std::sqrt(static_cast<double>(fan_in)));
    biases.push_back(drawn(1, width, layer.named("bias")) / 2);
    fan_in = width;
  }
  return [=](const Tensor& z) {
    Tensor x = z;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (i > 0) x = x.tanh();
      x = x.matmul(weights[i].t()) + biases[i];
    }
    return x;
  };
}

Map linear_map(int64_t in, int64_t out, const random::Stream& stream) {
  return [a = drawn(out, in, stream)](const Tensor& z) { return z.matmul(a.t()); };
}

Tensor clifford_torus(const Tensor& angles) {
  const Tensor u = angles.select(1, 0);
  const Tensor v = angles.select(1, 1);
  return torch::stack({u.cos(), u.sin(), v.cos(), v.sin()}, 1) / std::sqrt(2.0);
}

Tensor great_circle(const Tensor& angle) { return torch::cat({angle.cos(), angle.sin()}, 1); }

Tensor arc_length(const Tensor& z) {
  return torch::atan2(z.select(1, 1), z.select(1, 0)).unsqueeze(1);
}

Map after(Map outer, Map inner) {
  return [outer = std::move(outer), inner = std::move(inner)](const Tensor& z) {
    return outer(inner(z));
  };
}

}  // namespace adassl::theory
