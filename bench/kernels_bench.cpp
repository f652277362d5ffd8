#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "adassl/core/host.h"
#include "adassl/kernels/adamw.h"
#include "adassl/kernels/contrastive.h"
#include "adassl/kernels/latents.h"
#include "adassl/kernels/mlp.h"
#include "adassl/kernels/noise.h"
#include "adassl/kernels/peak.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/softmax.h"
#include "adassl/kernels/threads.h"

namespace adassl::kernels {
namespace {

using benchmark::Counter;
using benchmark::State;

std::vector<float> normals(int64_t rows, int64_t columns, const char* purpose) {
  std::vector<float> out(static_cast<size_t>(rows * columns));
  fill_normal(out, columns, {1, purpose});
  return out;
}

std::vector<float> floats(int64_t count, float value = 0) {
  return std::vector<float>(static_cast<size_t>(count), value);
}

void count_flops(State& state, double flops) {
  state.counters["GFLOP/s"] = Counter(flops / 1e9, Counter::kIsIterationInvariantRate);
}

void count_elements(State& state, int64_t elements) {
  state.SetItemsProcessed(state.iterations() * elements);
}

void count_bytes(State& state, int64_t bytes) {
  state.counters["extra MB"] = static_cast<double>(bytes) / 1e6;
}

// ---- losses: N, d

void softmax(State& state) {
  const int64_t n = state.range(0), d = state.range(1);
  const auto q = normals(n, d, "q"), k = normals(n, d, "k"), bias = normals(n, 1, "bias");
  auto dq = floats(n * d), dk = floats(n * d), dbias = floats(n);
  const SoftmaxProblem problem{
      .rows = n, .columns = n, .width = d, .q = q.data(), .k = k.data(), .bias = bias.data()};
  const SoftmaxGradients gradients{dq.data(), dk.data(), dbias.data()};
  SoftmaxWorkspace workspace;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(softmax_cross_entropy(problem, gradients, workspace));
  }
  count_flops(state, 6.0 * static_cast<double>(n * n * d));
  count_bytes(state, workspace.bytes());
}

void contrastive_loss(State& state) {
  const int64_t n = state.range(0), d = state.range(1);
  const auto q = normals(n, d, "q"), k = normals(n, d, "k");
  const float lambda = 1;
  float dlambda = 0;
  auto dq = floats(n * d), dk = floats(n * d);
  const ContrastiveProblem problem{.rows = n,
                                   .width = d,
                                   .q = q.data(),
                                   .targets = k.data(),
                                   .concentration = &lambda,
                                   .tau = 0.1F};
  const ContrastiveGradients gradients{
      .q = dq.data(), .targets = dk.data(), .concentration = &dlambda};
  ContrastiveWorkspace workspace;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(contrastive(problem, &gradients, workspace));
  }
  count_flops(state, 6.0 * static_cast<double>(n * n * d));
  count_bytes(state, workspace.bytes());
}

// ---- networks: views of 2048 samples

/// Parameters, and where their gradients go.
struct Network {
  Network(const std::vector<int64_t>& widths, bool norm) {
    for (size_t i = 0; i + 1 < widths.size(); ++i) {
      const int64_t in = widths[i], out = widths[i + 1];
      const bool hidden = i + 2 < widths.size();
      MlpLayer layer;
      layer.in = in;
      layer.out = out;
      layer.weight = keep(normals(out, in, "weight"));
      layer.slope = hidden ? 0.01F : 1;
      MlpLayerGradients to{.weight = keep(floats(out * in))};
      if (hidden && norm) {
        layer.norm = {keep(floats(out, 1)), keep(floats(out)), keep(floats(out)),
                      keep(floats(out, 1))};
        to.gain = keep(floats(out));
        to.shift = keep(floats(out));
      } else {
        layer.bias = keep(floats(out));
        to.bias = keep(floats(out));
      }
      layers.push_back(layer);
      gradients.push_back(to);
      weights += static_cast<double>(in * out);
    }
  }
  float* keep(std::vector<float> values) {
    memory.push_back(std::move(values));
    return memory.back().data();
  }

  std::vector<MlpLayer> layers;
  std::vector<MlpLayerGradients> gradients;
  std::vector<std::vector<float>> memory;  // of what the layers point to
  double weights = 0;
};

void mlp(State& state, const std::vector<int64_t>& widths, bool norm) {
  constexpr int64_t kRows = 2048;
  const int64_t views = state.range(0);
  Network network(widths, norm);
  std::vector<MlpView> x;
  std::vector<float*> y, dx;
  std::vector<const float*> dy;
  for (int64_t i = 0; i < views; ++i) {
    x.push_back({kRows, network.keep(normals(kRows, widths.front(), "x"))});
    y.push_back(network.keep(floats(kRows * widths.back())));
    dy.push_back(network.keep(normals(kRows, widths.back(), "gradient")));
    // The encoder's input is data; that of a normalised net comes from the encoder.
    dx.push_back(norm ? network.keep(floats(kRows * widths.front())) : nullptr);
  }
  MlpPass pass;
  for ([[maybe_unused]] auto _ : state) {
    pass.forward(network.layers, x, y, MlpPass::Mode::kTraining);
    pass.backward(network.layers, dy, network.gradients, dx);
  }
  const double first = norm ? 0 : static_cast<double>(widths[0] * widths[1]);
  count_flops(state, 2 * static_cast<double>(views * kRows) * (3 * network.weights - first));
  count_bytes(state, pass.bytes());
}

// ---- what passes over elements once

void adamw(State& state) {
  const int64_t count = state.range(0);
  auto values = floats(count), first = floats(count), second = floats(count);
  const auto gradients = normals(count, 1, "gradient"), keep = floats(count, 1);
  for ([[maybe_unused]] auto _ : state) {
    const double scale = 1 / norm(gradients);
    adamw_step({.gradient_scale = scale, .step_size = 5e-4}, {.values = values,
                                                              .gradients = gradients,
                                                              .first_moment = first,
                                                              .second_moment = second,
                                                              .keep = keep});
  }
  count_elements(state, count);
}

void gaussian(State& state) {
  const int64_t n = state.range(0), d = state.range(1);
  const auto q = normals(n, 2 * d, "q"), p = normals(n, 2 * d, "p"), eps = normals(n, d, "eps");
  const auto ones = floats(n * d, 1);
  auto r = floats(n * d), cost = floats(n * d), dq = floats(2 * n * d), dp = floats(2 * n * d);
  const GaussianInputs in{n, d, q.data(), p.data(), eps.data()};
  for ([[maybe_unused]] auto _ : state) {
    gaussian_draw(in, r.data(), cost.data());
    gaussian_draw_backward(in, ones.data(), ones.data(), dq.data(), dp.data());
  }
  count_elements(state, n * d);
}

void gate(State& state) {
  const int64_t n = state.range(0), d = state.range(1);
  const auto output = normals(n, 2 * d, "output"), ones = floats(n * d, 1);
  auto u = floats(n * d), r = u, cost = u, gates = u, doutput = floats(2 * n * d);
  fill_uniform(u, d, {1, "u"});
  const GateInputs in{n, d, output.data(), u.data()};
  for ([[maybe_unused]] auto _ : state) {
    gate_draw(in, r.data(), cost.data(), gates.data());
    gate_draw_backward(in, ones.data(), ones.data(), doutput.data());
  }
  count_elements(state, n * d);
}

void noise(State& state, decltype(&fill_normal) fill) {
  const int64_t n = state.range(0), d = state.range(1);
  auto out = floats(n * d);
  uint64_t step = 0;
  for ([[maybe_unused]] auto _ : state) fill(out, d, {1, "bench", step++}, 0);
  count_elements(state, n * d);
}

/// Real time: processor time is only that of the thread which waits for the others.
benchmark::internal::Benchmark* timed(const std::string& name, void (*run)(State&)) {
  return benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

void register_all() {
  for (const auto& [name, run] :
       {std::pair("softmax", &softmax), std::pair("contrastive", &contrastive_loss)}) {
    auto* sizes = timed(name, run)->ArgNames({"N", "d"});
    for (int64_t n = 512; n <= 8192; n *= 2) sizes->Args({n, 128});
    for (const int64_t d : {8, 11, 32, 64, 256, 512}) sizes->Args({2048, d});
  }
  timed("mlp/encoder",
        [](State& state) {
          mlp(state, {10, 100, 100, 100, 100, 11}, false);
        })
      ->ArgName("views")
      ->Arg(1)
      ->Arg(2)
      ->Arg(4);
  timed("mlp/latent_net",
        [](State& state) {
          mlp(state, {22, 64, 64, 10}, true);
        })
      ->ArgName("views")
      ->Arg(1);
  timed("adamw", &adamw)->ArgName("parameters")->Arg(45'000)->Arg(1'000'000);
  timed("gaussian", &gaussian)->ArgNames({"N", "d"})->Args({2048, 5})->Args({65536, 16});
  timed("gate", &gate)->ArgNames({"N", "d"})->Args({2048, 5})->Args({65536, 16});
  timed("noise/normal", [](State& state) { noise(state, &fill_normal); })
      ->ArgNames({"N", "d"})
      ->Args({2048, 5})
      ->Args({65536, 16});
  timed("noise/uniform", [](State& state) { noise(state, &fill_uniform); })
      ->ArgNames({"N", "d"})
      ->Args({2048, 5})
      ->Args({65536, 16});
}

}  // namespace
}  // namespace adassl::kernels

int main(int argc, char** argv) {
  using namespace adassl;
  kernels::set_threads(static_cast<int>(host::logical_cores()));
  benchmark::AddCustomContext("simd", kernels::instruction_set());
  benchmark::AddCustomContext("threads", std::to_string(kernels::threads()));
  benchmark::AddCustomContext("fp32_peak_gflops", std::to_string(kernels::peak_gflops()));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  kernels::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
