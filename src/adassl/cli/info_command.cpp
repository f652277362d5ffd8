#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/version.h>

#include "adassl/bench/measure.h"
#include "adassl/cli/commands.h"
#include "adassl/core/host.h"
#include "adassl/kernels/convolution/machine.h"
#include "adassl/kernels/simd.h"
#include "adassl/nn/compute.h"

namespace adassl::cli {
namespace {

/// The speed of the fastest of several matrix products, in GFLOP/s.
double measured_gflops(int threads) {
  nn::use_threads({.kernels = nn::Kernels::kReference, .threads = threads});
  constexpr int64_t kSize = 1024;
  const Tensor a = torch::ones({kSize, kSize}, torch::kFloat32);
  const Tensor b = torch::ones({kSize, kSize}, torch::kFloat32);
  double best = 0;
  for (int i = 0; i < 8; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Tensor c = a.matmul(b);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * kSize * kSize * kSize / seconds.count() / 1e9);
  }
  return best;
}

/// The unit that computes the products of a run in bfloat16; "none" if they would fall back to
/// float32.
std::string bf16_products() {
  const nn::Compute requested{.precision = nn::Precision::kBfloat16};
  return requested.multiplies_in_bf16() ? kernels::unit().name : "none";
}

double rounded(double value) { return std::round(value * 10) / 10; }

}  // namespace

void add_info(CLI::App& app, Context&) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app::add_command(app, "info");
  command->add_flag("--json", *as_json, "print JSON");
  command->callback([as_json] {
    const std::string blas_kernels = host::blas_kernels();
    const auto cores = static_cast<int>(host::logical_cores());
    std::vector<std::string> devices = {"cpu"};
    const size_t cuda = at::hasCUDA() ? at::detail::getCUDAHooks().getNumGPUs() : 0;
    for (size_t i = 0; i < cuda; ++i) {
      devices.push_back("cuda:" + std::to_string(i));
    }
    const nlohmann::ordered_json info = {
        {"commit", host::commit()},
        {"libtorch", TORCH_VERSION},
        {"cpu", host::cpu_name()},
        {"cpu_features", host::cpu_features()},
        {"simd", kernels::instruction_set()},  // of our own kernels
        {"simd_available", kernels::instruction_sets()},
        {"bf16_products", bf16_products()},
        {"amx", kernels::amx_state()},
        {"cores", cores},
        {"threads", cores},  // that a run uses unless compute.threads says otherwise
        {"memory_available_gib",
         rounded(static_cast<double>(host::available_memory()) / (1 << 30))},
        {"blas", blas_kernels.empty() ? "not OpenBLAS" : "OpenBLAS"},
        {"blas_kernels", blas_kernels},
        {"matmul_gflops", rounded(measured_gflops(cores))},
        {"fp32_peak_gflops", rounded(bench::peak(cores))},
        {"fp32_peak_gflops_one_thread", rounded(bench::peak(1))},
        {"bf16_peak_gflops", rounded(bench::product_peak(cores))},
        {"devices", devices},
    };
    if (*as_json) {
      std::cout << info.dump(2) << "\n";
      return;
    }
    for (const auto& [name, value] : info.items()) {
      std::cout << fmt::format("{:<28} {}\n", name,
                               value.is_string() ? value.get<std::string>() : value.dump());
    }
  });
}

}  // namespace adassl::cli
