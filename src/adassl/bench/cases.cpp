#include "adassl/bench/cases.h"

#include <memory>

#include <fmt/format.h>

#include "adassl/model/latents/sparse.h"
#include "adassl/model/latents/variational.h"
#include "adassl/nn/latent_functions.h"
#include "adassl/nn/mlp.h"
#include "adassl/nn/tensors.h"
#include "adassl/optim/adamw.h"
#include "adassl/study/experiment.h"
#include "adassl/training/checkpoint.h"

namespace adassl::bench {
namespace {

Case data_case(int threads) {
  return {fmt::format("numerical pairs, complex, N={}", kBatch), threads, [] {
            Config config = Config::from_text("data.mixing_candidates = 100\n", "bench");
            const auto source = study::build_experiment(std::move(config)).source;
            return Work{.fused =
                            [source, step = uint64_t{0}]() mutable {
                              source->pairs({1, "bench", step++}, kBatch);
                            },
                        .reference = {}};
          }};
}

// ---- networks

/// The tensors of each layer, looked up by the names that nn::Mlp gives them.
std::vector<nn::MlpTensors> layers_of(const nn::Mlp& mlp) {
  const auto parameters = mlp.named_parameters();
  const auto buffers = mlp.named_buffers();
  const auto tensor = [](const auto& dict, const std::string& name) {
    const Tensor* found = dict.find(name);
    return found == nullptr ? Tensor() : *found;
  };
  std::vector<nn::MlpTensors> out;
  const size_t last = mlp.shape().hidden.size();
  for (size_t i = 0; i <= last; ++i) {
    const std::string linear = fmt::format("linear{}.", i);
    const std::string norm = fmt::format("norm{}.", i);
    out.push_back({tensor(parameters, linear + "weight"), tensor(parameters, linear + "bias"),
                   tensor(parameters, norm + "weight"), tensor(parameters, norm + "bias"),
                   tensor(buffers, norm + "running_mean"), tensor(buffers, norm + "running_var"),
                   i < last ? static_cast<float>(mlp.shape().slope) : 1});
  }
  return out;
}

/// The operations of forward and backward. Each weight is used in three products: the output, its
/// own gradient and the gradient of the layer's input.
double flops_of(const nn::MlpShape& shape, int64_t rows, bool input_gradient) {
  double weights = 0;
  int64_t in = shape.in;
  for (const int64_t width : shape.hidden) {
    weights += static_cast<double>(in * width);
    in = width;
  }
  weights += static_cast<double>(in * shape.out);
  const auto first = static_cast<double>(shape.in * shape.hidden[0]);
  return 2 * static_cast<double>(rows) * (3 * weights - (input_gradient ? 0 : first));
}

/// Forward and backward. The fused side calls mlp_function directly, because nn::Mlp does not
/// expose the memory of the kernel's pass.
Work network_work(const nn::MlpShape& shape, int views, bool input_gradient) {
  struct Parts {
    std::shared_ptr<nn::Mlp> mlp;
    nn::MlpMemory memory;
    std::vector<Tensor> x, gradients;
  };
  auto parts = std::make_shared<Parts>();
  parts->mlp = std::make_shared<nn::Mlp>(shape, nn::reference_compute());
  nn::initialise(*parts->mlp, 1);
  for (int i = 0; i < views; ++i) {
    parts->x.push_back(normal(kBatch, shape.in, "x").requires_grad_(input_gradient));
    parts->gradients.push_back(normal(kBatch, shape.out, "gradient"));
  }
  return {
      .fused =
          [parts] {
            const auto y = nn::mlp_function(layers_of(*parts->mlp), parts->x, true, parts->memory);
            torch::autograd::backward(y, parts->gradients);
          },
      .reference =
          [parts] { torch::autograd::backward(parts->mlp->forward(parts->x), parts->gradients); },
      .flops = flops_of(shape, views * kBatch, input_gradient),
      .extra_bytes = [parts] { return parts->memory.pass()->bytes(); }};
}

Case encoder_case(int threads) {
  return {fmt::format("encoder forward + backward, 4 views x {}", kBatch), threads, [] {
            return network_work(
                {.in = 10, .hidden = {100, 100, 100, 100}, .out = 11, .slope = 0.01}, 4, false);
          }};
}

Case latent_net_case(int threads) {
  return {fmt::format("latent net forward + backward, N={}", kBatch), threads, [] {
            return network_work(
                {.in = 22, .hidden = {64, 64}, .out = 10, .norm = true, .slope = 0.01}, 1, true);
          }};
}

// ---- small parts

Case adamw_case(int threads) {
  return {"AdamW step, 45000 parameters", threads, [] {
            struct Parts {
              nn::Linear module{449, 100, true};
              training::State state;
              explicit Parts(const nn::ComputePtr& compute) : state(module, {}, compute) {}
            };
            const auto make = [](const nn::ComputePtr& compute) {
              auto parts = std::make_shared<Parts>(compute);
              parts->state.parameters.gradients.fill_(0.01);
              return [parts] {
                auto& optimizer = parts->state.optimizer;
                optimizer.step(++parts->state.step, optimizer.gradient_norm());
              };
            };
            return Work{.fused = make(nn::default_compute()),
                        .reference = make(nn::reference_compute())};
          }};
}

Case gaussian_case(int threads) {
  return {fmt::format("Gaussian draw + KL, {} x 5", kBatch), threads, [] {
            const Tensor q = normal(kBatch, 10, "posterior").requires_grad_();
            const Tensor p = normal(kBatch, 10, "prior").requires_grad_();
            const Tensor eps = normal(kBatch, 5, "eps");
            const Tensor ones = torch::ones_like(eps);
            return Work{.fused =
                            [=] {
                              const auto [r, cost] = nn::gaussian_draw(q, p, eps);
                              torch::autograd::backward({r, cost}, {ones, ones});
                            },
                        .reference =
                            [=] {
                              const auto posterior = model::gaussian(q);
                              const Tensor r = model::reparameterise(posterior, eps);
                              const Tensor cost =
                                  model::kl_divergence(posterior, model::gaussian(p));
                              torch::autograd::backward({r, cost}, {ones, ones});
                            }};
          }};
}

Case gate_case(int threads) {
  return {fmt::format("gate, {} x 5", kBatch), threads, [] {
            const Tensor output = normal(kBatch, 10, "output").requires_grad_();
            const Tensor u = nn::uniform(kBatch, 5, {1, "u"}, output);
            const Tensor ones = torch::ones_like(u);
            return Work{.fused =
                            [=] {
                              const nn::GateDraw draw = nn::gate_draw(output, u);
                              torch::autograd::backward({draw.r, draw.cost}, {ones, ones});
                            },
                        .reference =
                            [=] {
                              const auto halves = output.chunk(2, 1);
                              const Tensor gate = model::straight_through_gate(halves[0], u);
                              torch::autograd::backward(
                                  {gate * halves[1], torch::sigmoid(halves[0])}, {ones, ones});
                            }};
          }};
}

/// The reference is the plain formula, one sample at a time, as LibTorch has no such generator.
Case noise_case(int threads) {
  return {fmt::format("normal noise, {} x 5", kBatch), threads, [] {
            const random::Stream stream(1, "bench");
            const Tensor out = torch::empty({kBatch, 5}, torch::kFloat32);
            return Work{.fused = [=] { nn::normal(kBatch, 5, stream, out); },
                        .reference =
                            [=] {
                              float* to = out.data_ptr<float>();
                              for (int64_t i = 0; i < kBatch; ++i) {
                                random::Sequence draws = stream.at(static_cast<uint32_t>(i));
                                for (int j = 0; j < 5; ++j) {
                                  *to++ = static_cast<float>(draws.normal());
                                }
                              }
                            }};
          }};
}

}  // namespace

std::vector<Case> kernel_cases(int threads) {
  return {data_case(threads),  encoder_case(threads),  latent_net_case(threads),
          adamw_case(threads), gaussian_case(threads), gate_case(threads),
          noise_case(threads)};
}

}  // namespace adassl::bench
