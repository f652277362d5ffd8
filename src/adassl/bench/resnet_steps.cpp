#include "adassl/bench/resnet_steps.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>

#include <ATen/autocast_mode.h>
#include <fmt/format.h>
#include <malloc.h>

#include "adassl/bench/cases.h"
#include "adassl/core/config.h"
#include "adassl/model/method.h"
#include "adassl/nn/network.h"
#include "adassl/training/checkpoint.h"

/// A step: gradients of the loss of one batch [batch, 3, pixels, pixels] x 2 that stays, then
/// AdamW.
namespace adassl::bench {
namespace {

constexpr double kPatience = 120;  // seconds; a step of depth 50 takes several

const std::vector<ResNetStep> kSteps = {{18, 64, 64, nn::Stem::kSmall},
                                        {18, 32, 256, nn::Stem::kSmall},
                                        {50, 224, 8, nn::Stem::kTorchvision}};

const char* name_of(nn::Stem stem) {
  if (stem == nn::Stem::kSmall) return "small";
  return stem == nn::Stem::kLarge ? "large" : "torchvision";
}

std::shared_ptr<model::Method> method_of(const ResNetStep& of, const nn::ComputePtr& compute) {
  Config config = Config::from_text(
      "method = 'infonce'\nencoder.kind = 'resnet'\nobjective.form = 'cosine'\n"
      "objective.negatives = 'both'\n",
      "bench");
  config.override_with(fmt::format("encoder.depth={}", of.depth));
  config.override_with(fmt::format("encoder.stem={}", name_of(of.stem)));
  auto method = model::make_method(
      config, {.observation = {3, of.pixels, of.pixels}, .seed = 1, .compute = compute});
  config.require_all_read();
  method->train();
  return method;
}

/// Bytes of noise: what is seen does not change how long it takes.
Tensor images(const ResNetStep& of, const char* purpose) {
  return (128 + 50 * normal(of.batch, 3 * of.pixels * of.pixels, purpose))
      .clamp(0, 255)
      .to(torch::kUInt8)
      .view({of.batch, 3, of.pixels, of.pixels});
}

/// LibTorch's own bfloat16, for the forward passes that are computed while it exists.
struct Autocast {
  Autocast() {
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(true);
  }
  ~Autocast() {
    at::autocast::set_cpu_enabled(false);
    at::autocast::clear_cache();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
};

/// A model of its own, and the next step of its training.
class Training {
 public:
  Training(const ResNetStep& of, const nn::ComputePtr& compute)
      : method_(method_of(of, compute)),
        state_(*method_, {}, compute),
        views_{images(of, "x"), images(of, "x_plus"), {}, {}, {}},
        estimate_(method_->bytes(of.batch)) {}

  void step() {
    start();
    finish(loss());
  }
  /// As PyTorch's manual advises: the forward pass and the loss in autocast, the rest outside.
  void autocast_step() {
    start();
    Tensor total;
    {
      const Autocast bf16;
      total = loss();
    }
    finish(total);
  }
  double estimate() const { return estimate_; }

 private:
  void start() {
    ++state_.step;
    state_.optimizer.zero_gradients();
  }
  Tensor loss() {
    const random::Stream noise(1, "noise", static_cast<uint64_t>(state_.step));
    return method_->forward(views_, state_.step, noise).total;
  }
  void finish(const Tensor& total) {
    total.backward();
    state_.optimizer.step(state_.step, state_.optimizer.gradient_norm());
  }

  std::shared_ptr<model::Method> method_;
  training::State state_;
  model::Views views_;
  double estimate_;
};

/// A line of /proc/self/status, in bytes: "VmRSS" is the memory in use, "VmHWM" its largest value.
int64_t memory_of_process(const std::string& key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key + ":")) return 1024 * std::stoll(line.substr(key.size() + 1));
  }
  return 0;
}

/// Has the kernel forget the largest value so far. Without the right to do so, "VmHWM" would be
/// that of an earlier row.
bool forget_peak() {
  std::ofstream out("/proc/self/clear_refs");
  out << 5 << std::flush;
  return out.good();
}

/// The peak of a model's first step beyond what the process had before the model, or 0 where the
/// kernel does not tell.
int64_t peak_of(const ResNetStep& of, const nn::ComputePtr& compute) {
  malloc_trim(0);  // or the model would live on what others left
  const int64_t before = memory_of_process("VmRSS");
  Training training(of, compute);
  if (!forget_peak()) return 0;
  training.step();
  return std::max<int64_t>(0, memory_of_process("VmHWM") - before);
}

Work step_work(const ResNetStep& of, nn::Precision precision) {
  const auto compute = std::make_shared<nn::Compute>(nn::Compute{.precision = precision});
  const int64_t peak = peak_of(of, compute);
  // Two models, so that neither trains the other's.
  const auto ours = std::make_shared<Training>(of, compute);
  const auto theirs = std::make_shared<Training>(of, nn::reference_compute());
  const double flops =
      nn::flops(nn::resnet({of.depth, 64, of.stem}), {3, {1, of.pixels, of.pixels}}).step();
  Work work{.fused = [ours] { ours->step(); },
            .reference = [theirs] { theirs->step(); },
            .flops = 2 * static_cast<double>(of.batch) * flops};
  if (peak > 0) {
    work.extra_bytes = [peak] { return peak; };
    work.estimated_bytes = ours->estimate();
  }
  return work;
}

}  // namespace

std::string ResNetStep::name() const {
  return fmt::format("ResNet-{} step, {} px, batch {}", depth, pixels, batch);
}

Case resnet_step_case(const ResNetStep& step, nn::Precision precision, int threads) {
  const char* what = precision == nn::Precision::kFloat32 ? "fp32" : "bf16";
  return {step.name() + ", " + what, threads,
          [step, precision] { return step_work(step, precision); }, kPatience};
}

std::optional<double> estimate_error(const ResNetStep& step, nn::Precision precision) {
  const auto compute = std::make_shared<nn::Compute>(nn::Compute{.precision = precision});
  nn::use_threads(*compute);
  Row row;
  row.extra_bytes = peak_of(step, compute);
  row.estimated_bytes = method_of(step, compute)->bytes(step.batch);
  return row.estimate_error();
}

double libtorch_bf16_ms(const ResNetStep& step, int threads, int repeats) {
  nn::Compute compute{.kernels = nn::Kernels::kReference, .threads = threads};
  nn::use_threads(compute);
  Training training(step, nn::reference_compute());
  training.autocast_step();  // touches cold pages, and does not count
  std::vector<double> times;
  double sum = 0;
  while (std::ssize(times) < repeats && sum < 1e3 * kPatience / 4) {
    const auto start = std::chrono::steady_clock::now();
    training.autocast_step();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    times.push_back(took.count());
    sum += took.count();
  }
  std::ranges::sort(times);
  return times.at(times.size() / 2);
}

std::vector<Case> resnet_step_cases(int threads, int repeats) {
  std::vector<Case> out;
  const bool bf16 = nn::Compute{.precision = nn::Precision::kBfloat16}.multiplies_in_bf16();
  for (const ResNetStep& step : kSteps) {
    out.push_back(resnet_step_case(step, nn::Precision::kFloat32, threads));
    if (bf16) out.push_back(resnet_step_case(step, nn::Precision::kBfloat16, threads));
    out.back().libtorch_bf16 = [=] { return libtorch_bf16_ms(step, threads, repeats); };
  }
  return out;
}

std::optional<double> paper_hours(const std::string& name, double milliseconds) {
  constexpr double kPaperSteps = 80'000, kPairs = 512;
  const ResNetStep& celeba = kSteps[0];
  if (!name.starts_with(celeba.name())) return {};
  return kPaperSteps * kPairs / static_cast<double>(celeba.batch) * milliseconds / 3.6e6;
}

}  // namespace adassl::bench
