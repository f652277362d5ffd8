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

void initialise(torch::nn::Module& root, uint64_t seed) {
  for (const auto& item : root.named_modules("model")) {
    if (auto* module = dynamic_cast<Initialised*>(item.value().get())) {
      module->initialise({seed, "initialise/" + item.key()});
    }
  }
}

Linear::Linear(int64_t in, int64_t out, bool with_bias, Init init) : init_(init) {
  weight = register_parameter("weight", torch::zeros({out, in}));
  if (with_bias) bias = register_parameter("bias", torch::zeros({out}));
}

Tensor Linear::forward(const Tensor& x) { return torch::linear(x, weight, bias); }

void Linear::initialise(const random::Stream& stream) {
  const auto in = static_cast<double>(weight.size(1));
  const auto out = static_cast<double>(weight.size(0));
  const torch::NoGradGuard no_grad;
  switch (init_) {
    case Init::kDefault:
      fill_uniform(weight, 1 / std::sqrt(in), stream.named("weight"));
      if (bias.defined()) fill_uniform(bias, 1 / std::sqrt(in), stream.named("bias"));
      break;
    case Init::kStabilised:
      fill_uniform(weight, std::sqrt(2.0) * std::sqrt(6 / (in + out)), stream.named("weight"));
      if (bias.defined()) bias.zero_();
      break;
    case Init::kZero:
      weight.zero_();
      if (bias.defined()) bias.zero_();
      break;
  }
}

BatchNorm::BatchNorm(int64_t width) {
  weight = register_parameter("weight", torch::ones({width}));
  bias = register_parameter("bias", torch::zeros({width}));
  running_mean = register_buffer("running_mean", torch::zeros({width}));
  running_var = register_buffer("running_var", torch::ones({width}));
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
  take_in(running_var, variance, count / (count - 1));
}

Tensor leaky_relu(const Tensor& x, double slope) {
  return slope == 0 ? torch::relu(x) : torch::leaky_relu(x, slope);
}

}  // namespace adassl::nn
