#include "adassl/kernels/convolution/convolution.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/bench/cases.h"
#include "adassl/bench/in_child.h"
#include "adassl/bench/lines.h"
#include "adassl/bench/networks.h"
#include "adassl/bench/resnet_steps.h"
#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/kernels/convolution/passes.h"
#include "adassl/nn/bf16_chain.h"

namespace adassl::bench {

double convolution_flops(const nn::ConvolutionShape& shape, at::IntArrayRef x) {
  auto out = 2 * static_cast<double>(x[0] * shape.in * shape.out);
  for (size_t axis : {0U, 1U}) {
    const int64_t size = x[2 + axis];
    int64_t products = 0;  // outputs times taps; of three frames' nine two fall on the padding
    for (int64_t first = -shape.padding[axis];
         first + shape.kernel[axis] <= size + shape.padding[axis]; first += shape.stride[axis]) {
      products += std::min(size, first + shape.kernel[axis]) - std::max<int64_t>(0, first);
    }
    out *= static_cast<double>(products);
  }
  return out;
}

namespace {

using kernels::Bf16;
using kernels::ConvolutionSizes;

enum class Pass { kForward, kInput, kWeight };
constexpr Pass kPasses[] = {Pass::kForward, Pass::kInput, Pass::kWeight};

std::string name_of(Pass pass) {
  if (pass == Pass::kForward) return "forward";
  return pass == Pass::kInput ? "gradient of x" : "gradient of weights";
}

/// The operands of both sides.
struct Operands {
  explicit Operands(const NetworkLayer& of)
      : layer(of),
        sizes{of.x[0],      of.x[2],         of.x[3],         of.shape.in,
              of.shape.out, of.shape.kernel, of.shape.stride, of.shape.padding},
        x(pictures(of.x, "x")),
        dy(pictures({of.x[0], of.shape.out, sizes.out_height(), sizes.out_width()}, "dy")),
        weight(normal(of.shape.out, of.shape.in * sizes.taps(), "weight")
                   .view({of.shape.out, of.shape.in, of.shape.kernel[0], of.shape.kernel[1]})),
        their_weight(weight.contiguous(torch::MemoryFormat::ChannelsLast)),
        our_x(rounded(x)),
        our_dy(rounded(dy)),
        our_y(our_dy.size()),
        our_dx(our_x.size()),
        dweight(torch::empty_like(weight)) {
    x.requires_grad_(!of.first);
    their_weight.requires_grad_();
  }

  Tensor reference() const { return nn::convolution(x, their_weight, layer.shape); }

  void ours(Pass pass) {
    const float* weights = weight.data_ptr<float>();
    if (pass == Pass::kForward) {
      kernels::convolve(sizes, {our_x.data()}, weights, our_y.data());
    } else if (pass == Pass::kInput) {
      kernels::input_gradient(sizes, {our_x.data()}, {our_dy.data()}, weights, our_dx.data());
    } else {
      kernels::weight_gradient(sizes, {our_x.data()}, {our_dy.data()}, dweight.data_ptr<float>());
    }
  }

  NetworkLayer layer;
  ConvolutionSizes sizes;
  Tensor x, dy, weight, their_weight;
  std::vector<Bf16> our_x, our_dy, our_y, our_dx;
  Tensor dweight;

 private:
  static std::vector<Bf16> rounded(const Tensor& of) {
    const Tensor pixels = of.permute({0, 2, 3, 1}).contiguous();
    std::vector<Bf16> out(static_cast<size_t>(pixels.numel()));
    kernels::round_to_bf16(pixels.numel(), pixels.data_ptr<float>(), out.data());
    return out;
  }
};

Work work_of(const NetworkLayer& layer, Pass pass) {
  const auto operands = std::make_shared<Operands>(layer);
  Work work{.fused = [operands, pass] { operands->ours(pass); },
            .reference = {},
            .flops = convolution_flops(layer.shape, layer.x)};
  if (pass == Pass::kForward) {
    work.reference = [operands] {
      const torch::NoGradGuard no_grad;
      operands->reference();
    };
  } else {
    const Tensor wanted = pass == Pass::kInput ? operands->x : operands->their_weight;
    work.reference = [operands, wanted, y = operands->reference()] {
      torch::autograd::grad({y}, {wanted}, {operands->dy}, /*retain_graph=*/true);
    };
  }
  return work;
}

ordered_json as_json(const std::string& network, const std::string& layer, const std::string& pass,
                     int count, const Row& row) {
  ordered_json out = {{"network", network},
                      {"layer", layer},
                      {"pass", pass},
                      {"count", count},
                      {"reference_ms", *row.reference_ms},
                      {"ours_ms", row.fused_ms},
                      {"ratio", *row.ratio()},
                      {"gflops", *row.gflops},
                      {"fp32_peak_share", *row.peak_share},
                      {"bf16_peak_share", *row.gflops / product_peak(row.threads)},
                      {"threads", row.threads},
                      {"repeats", row.repeats}};
  if (row.extra_bytes) out["peak_bytes"] = *row.extra_bytes;
  if (row.estimated_bytes) out["estimated_bytes"] = *row.estimated_bytes;
  if (const auto holds = row.estimate_holds()) out["estimate_within_15_percent"] = *holds;
  return out;
}

/// Prints and keeps.
class Output {
 public:
  explicit Output(const Options& options)
      : printed_(!options.json),
        lines_(options, {{"products", kernels::unit().name},
                         {"fp32_peak_gflops", peak(options.threads)},
                         {"bf16_peak_gflops", product_peak(options.threads)}}) {
    if (!printed_) return;
    std::cout << fmt::format(
        "{}, {}, {} threads; peaks: {:.0f} GFLOP/s in fp32, {:.0f} in bf16 products; medians of up "
        "to "
        "{}\n\n",
        host::cpu_name(), kernels::unit().name, options.threads, peak(options.threads),
        product_peak(options.threads), options.repeats);
    std::cout << fmt::format("{:<62}  {:>10}  {:>9}  {:>6}  {:>8}  {:>8}  {:>8}\n", "",
                             "LibTorch ms", "ours ms", "ratio", "GFLOP/s", "of fp32", "of bf16");
  }

  void row(const std::string& network, const std::string& layer, const std::string& pass, int count,
           const Row& row) {
    if (printed_) print(network, layer, pass, count, row);
    lines_.add(as_json(network, layer, pass, count, row));
  }

  /// LibTorch's own bfloat16, beside the row that was printed last.
  void libtorch_bf16(const Case& of, const FromChild& theirs, const Row& ours) {
    ordered_json found = {{"step", of.name}};
    std::string told = theirs.failure;
    if (theirs.number) {
      found["ms"] = *theirs.number;
      found["ratio"] = *theirs.number / ours.fused_ms;
      told = fmt::format("{:.3f} ms, ratio {:.2f}", *theirs.number, *theirs.number / ours.fused_ms);
    } else {
      found["ms"] = nullptr;
      found["failure"] = theirs.failure;
    }
    if (printed_) {
      std::cout << fmt::format("{:<62}  LibTorch's own bf16 (autocast): {}\n", "", told);
    }
    lines_.add({{"libtorch_bf16", found}});
  }

  /// What the paper's longest image runs would take with such steps.
  void paper_run(const Case& of, const Row& row) {
    const std::optional<double> hours = paper_hours(of.name, row.fused_ms);
    if (!hours) return;
    if (printed_) {
      std::cout << fmt::format(
          "{:<62}  the paper's 80,000 steps of 512 pairs: {:.0f} hours, its L40S took 15 to 20\n",
          "", *hours);
    }
    lines_.add({{"paper_run", {{"step", of.name}, {"hours", *hours}}}});
  }

  void summary(const ordered_json& ratios) {
    if (printed_) {
      std::cout << "\nsummed over layers and passes, LibTorch fp32 / ours; whole steps of residual "
                   "networks "
                   "likewise, of video fp32 / bf16\n";
      for (const auto& [name, ratio] : ratios.items()) {
        std::cout << fmt::format("{:<62}  {:>6.2f}\n", name, ratio.get<double>());
      }
    }
    lines_.add({{"summary", ratios}});
  }

 private:
  static void print(const std::string& network, const std::string& layer, const std::string& pass,
                    int count, const Row& row) {
    const std::string name = fmt::format("{}: {}{}, {}", network, layer,
                                         count > 1 ? fmt::format(" (x {})", count) : "", pass);
    std::cout << fmt::format(
                     "{:<62}  {:>10.3f}  {:>9.3f}  {:>6.2f}  {:>8.1f}  {:>6.0f} %  {:>6.0f} %\n",
                     name, *row.reference_ms, row.fused_ms, *row.ratio(), *row.gflops,
                     100 * *row.peak_share, 100 * *row.gflops / product_peak(row.threads))
              << std::flush;
    if (const auto error = row.estimate_error()) {
      std::cout << fmt::format("{:<62}  {} at most, estimated {} ({:+.0f} %, {} 15 %)\n", "",
                               text::bytes(static_cast<double>(*row.extra_bytes)),
                               text::bytes(*row.estimated_bytes), 100 * *error,
                               *row.estimate_holds() ? "within" : "NOT within");
    }
  }

  bool printed_;
  Lines lines_;
};

/// What is to be measured of a network.
struct Asked {
  std::string network;
  std::vector<std::pair<NetworkLayer, Pass>> passes;
};

bool is_asked_for(const Options& options, const std::string& name) {
  return name.find(options.only) != std::string::npos;
}

std::vector<Asked> asked_layers(const Options& options) {
  std::vector<Asked> out;
  for (const Network& network : networks()) {
    Asked asked{network.name, {}};
    for (const NetworkLayer& layer : network.layers) {
      for (const Pass pass : kPasses) {
        if (layer.first && pass == Pass::kInput) continue;
        const std::string name = network.name + ": " + layer.name + ", " + name_of(pass);
        if (is_asked_for(options, name)) asked.passes.emplace_back(layer, pass);
      }
    }
    if (!asked.passes.empty()) out.push_back(std::move(asked));
  }
  return out;
}

/// Of the video models none where training does not use bfloat16.
std::vector<Case> asked_steps(const Options& options) {
  std::vector<Case> known = resnet_step_cases(options.threads, options.repeats);
  if (nn::Compute{.precision = nn::Precision::kBfloat16}.multiplies_in_bf16()) {
    for (const Case& step : video_precision_cases(options.threads)) known.push_back(step);
  }
  std::vector<Case> out;
  for (const Case& step : known) {
    if (is_asked_for(options, step.name)) out.push_back(step);
  }
  return out;
}

/// For each step, its time in LibTorch's own bfloat16, if its row asks for that.
std::vector<std::optional<FromChild>> in_libtorch_bf16(const std::vector<Case>& steps) {
  constexpr int kSeconds = 180;
  std::vector<std::optional<FromChild>> out;
  for (const Case& step : steps) {
    out.push_back(step.libtorch_bf16 ? std::optional(in_child(step.libtorch_bf16, kSeconds))
                                     : std::nullopt);
  }
  return out;
}

}  // namespace

void run_convolution_bench(const Options& options) {
  constexpr double kPatience = 2;
  const std::vector<Asked> networks = asked_layers(options);
  const std::vector<Case> steps = asked_steps(options);
  ADASSL_CHECK(!networks.empty() || !steps.empty(),
               "[bench] expected --only to be part of a row's name, got '", options.only,
               "'; 'adassl bench convolution' shows all");
  const auto theirs_in_bf16 = in_libtorch_bf16(steps);  // first: children need us without threads
  Output output(options);
  ordered_json ratios;
  for (const Asked& network : networks) {
    double theirs = 0;
    double ours = 0;
    for (const auto& [layer, pass] : network.passes) {
      const auto work = [&layer = layer, pass = pass] { return work_of(layer, pass); };
      const Row row = measure({layer.name, options.threads, work, kPatience}, options.repeats);
      theirs += layer.count * *row.reference_ms;
      ours += layer.count * row.fused_ms;
      output.row(network.network, layer.name, name_of(pass), layer.count, row);
    }
    ratios[network.network] = theirs / ours;
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const Case& step = steps[i];
    const Row row = measure(step, options.repeats);
    output.row("whole step", step.name, "step", 1, row);
    output.paper_run(step, row);
    if (theirs_in_bf16[i]) output.libtorch_bf16(step, *theirs_in_bf16[i], row);
    ratios[step.name] = *row.ratio();
  }
  output.summary(ratios);
}

}  // namespace adassl::bench
