#include "adassl/nn/layers.h"

#include <cmath>

#include "adassl/nn/tensors.h"

namespace adassl::nn {

void fill_uniform(Tensor& parameter, double bound, const random::Stream& stream) {
  const torch::NoGradGuard no_grad;
  const int64_t rows = parameter.size(0);
  const Tensor drawn = uniform(rows, parameter.numel() / rows, stream, parameter);
  parameter.copy_((drawn.view(parameter.sizes()) * 2 - 1) * bound);
}

void draw(Tensor& weight, Tensor& bias, Init init, const random::Stream& stream) {
  // The weight is [out, in, ...]: fan in is in * taps, and fan out is out * taps.
  const auto fan_in = static_cast<double>(weight[0].numel());
  const auto fan_out = static_cast<double>(weight.numel() / weight.size(1));
  const torch::NoGradGuard no_grad;
  if (bias.defined()) bias.zero_();
  switch (init) {
    case Init::kDefault:
      fill_uniform(weight, 1 / std::sqrt(fan_in), stream.named("weight"));
      if (bias.defined()) fill_uniform(bias, 1 / std::sqrt(fan_in), stream.named("bias"));
      break;
    case Init::kStabilised:
      fill_uniform(weight, std::sqrt(2.0) * std::sqrt(6 / (fan_in + fan_out)),
                   stream.named("weight"));
      break;
    case Init::kZero:
      weight.zero_();
      break;
    case Init::kKaimingNormal: {
      const int64_t rows = weight.size(0);
      const Tensor drawn = normal(rows, weight.numel() / rows, stream.named("weight"), weight);
      weight.copy_(drawn.view(weight.sizes()) * std::sqrt(2 / fan_out));
      break;
    }
  }
}

void initialise(torch::nn::Module& root, uint64_t seed) {
  for (const auto& item : root.named_modules("model")) {
    if (auto* module = dynamic_cast<Initialised*>(item.value().get())) {
      module->initialise({seed, "initialise/" + item.key()});
    }
  }
}

Linear::Linear(int64_t in, int64_t out, bool with_bias, Init init) : init_(init) {
  weight = register_parameter("weight", torch::zeros({out, in}, torch::kFloat32));
  if (with_bias) bias = register_parameter("bias", torch::zeros({out}, torch::kFloat32));
}

Tensor Linear::forward(const Tensor& x) { return torch::linear(x, weight, bias); }

void Linear::initialise(const random::Stream& stream) { draw(weight, bias, init_, stream); }

BatchNorm::BatchNorm(int64_t width) {
  weight = register_parameter("weight", torch::ones({width}, torch::kFloat32));
  bias = register_parameter("bias", torch::zeros({width}, torch::kFloat32));
  running_mean = register_buffer("running_mean", torch::zeros({width}, torch::kFloat32));
  running_var = register_buffer("running_var", torch::ones({width}, torch::kFloat32));
}

Tensor BatchNorm::forward(const Tensor& x) {
  return torch::batch_norm(x, weight, bias, running_mean, running_var, is_training(), kMomentum,
                           kEpsilon, /*cudnn_enabled=*/true);
}

void BatchNorm::follow(std::span<const float> mean, std::span<const float> variance, int64_t rows) {
  const auto count = static_cast<double>(rows);
  const auto take_in = [](Tensor& running, std::span<const float> batch, double factor) {
    float* values = running.data_ptr<float>();
    for (size_t c = 0; c < batch.size(); ++c) {
      values[c] = static_cast<float>((1 - kMomentum) * values[c] + kMomentum * factor * batch[c]);
    }
  };
  take_in(running_mean, mean, 1);
  take_in(running_var, variance, count / (count - 1));  // biased to unbiased variance
}

Tensor leaky_relu(const Tensor& x, double slope) {
  return slope == 0 ? torch::relu(x) : torch::leaky_relu(x, slope);
}

}  // namespace adassl::nn
