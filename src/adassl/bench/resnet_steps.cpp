#include <cstdio>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <malloc.h>

#include "adassl/bench/cases.h"
#include "adassl/core/config.h"
#include "adassl/model/method.h"
#include "adassl/nn/network.h"
#include "adassl/nn/resnet.h"
#include "adassl/training/checkpoint.h"

/// Whole training steps of InfoNCE with residual networks, as the paper has them for images: two
/// views of a pair, a projector with one hidden layer of 1024, logits of cosines, AdamW.
namespace adassl::bench {
namespace {

constexpr double kPatience = 20;  // seconds; a step takes some

struct Setting {
  int64_t depth, pixels, batch;
  nn::Stem stem;

  std::string name() const {
    return fmt::format("ResNet-{} step, {} px, batch {}", depth, pixels, batch);
  }
  std::vector<int64_t> image() const { return {3, pixels, pixels}; }
};

const std::vector<Setting> kSettings = {{18, 64, 64, nn::Stem::kSmall},
                                        {18, 32, 256, nn::Stem::kSmall},
                                        {50, 224, 8, nn::Stem::kTorchvision}};

std::shared_ptr<model::Method> method_of(const Setting& setting, const nn::ComputePtr& compute) {
  Config config = Config::from_text(
      "method = 'infonce'\nencoder.kind = 'resnet'\nobjective.form = 'cosine'\n"
      "objective.negatives = 'both'\n",
      "bench");
  config.override_with(fmt::format("encoder.depth={}", setting.depth));
  auto method =
      model::make_method(config, {.observation = setting.image(), .seed = 1, .compute = compute});
  config.require_all_read();
  method->train();
  return method;
}

/// Bytes of noise: what is seen does not change how long it takes.
Tensor images(const Setting& setting, const char* purpose) {
  const int64_t side = setting.pixels;
  return (128 + 50 * normal(setting.batch, 3 * side * side, purpose))
      .clamp(0, 255)
      .to(torch::kUInt8)
      .view({setting.batch, 3, side, side});
}

/// A model of its own, and the next step of its training on one batch that stays.
class Step {
 public:
  Step(const Setting& setting, const nn::ComputePtr& compute)
      : method_(method_of(setting, compute)),
        state_(*method_, {}, compute),
        views_{images(setting, "x"), images(setting, "x_plus"), {}, {}, {}},
        estimate_(method_->bytes(setting.batch)) {}

  void run() {
    const int64_t step = ++state_.step;
    state_.optimizer.zero_gradients();
    method_->forward(views_, step, {1, "noise", static_cast<uint64_t>(step)}).total.backward();
    state_.optimizer.step(step, state_.optimizer.gradient_norm());
  }
  double estimate() const { return estimate_; }

 private:
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

/// The peak of a model's first step beyond what the process had before the model, or 0 where the
/// kernel does not tell.
int64_t peak_of(const Setting& setting, const nn::ComputePtr& compute) {
  malloc_trim(0);  // or the model would live on what others left
  const int64_t before = memory_of_process("VmRSS");
  Step step(setting, compute);
  std::ofstream("/proc/self/clear_refs") << 5 << std::flush;  // forgets an earlier peak
  step.run();
  return std::max<int64_t>(0, memory_of_process("VmHWM") - before);
}

Work step_work(const Setting& setting, nn::Precision precision) {
  const auto compute = std::make_shared<nn::Compute>(nn::Compute{.precision = precision});
  const int64_t peak = peak_of(setting, compute);
  // Two models, so that neither trains the other's.
  const auto ours = std::make_shared<Step>(setting, compute);
  const auto theirs = std::make_shared<Step>(setting, nn::reference_compute());
  const double flops = nn::flops(nn::resnet({setting.depth, 64, setting.stem}),
                                 {3, {1, setting.pixels, setting.pixels}})
                           .step();
  Work work{.fused = [ours] { ours->run(); },
            .reference = [theirs] { theirs->run(); },
            .flops = 2 * static_cast<double>(setting.batch) * flops,
            .falls_back = precision == nn::Precision::kFloat32};
  if (peak > 0) {
    work.extra_bytes = [peak] { return peak; };
    work.estimated_bytes = ours->estimate();
  }
  return work;
}

}  // namespace

std::vector<Case> resnet_step_cases(int threads) {
  std::vector<Case> out;
  const bool bf16 = nn::Compute{.precision = nn::Precision::kBfloat16}.multiplies_in_bf16();
  for (const Setting& setting : kSettings) {
    const auto add = [&](const char* name, nn::Precision precision) {
      out.push_back({setting.name() + ", " + name, threads,
                     [setting, precision] { return step_work(setting, precision); }, kPatience});
    };
    add("fp32", nn::Precision::kFloat32);
    if (bf16) add("bf16", nn::Precision::kBfloat16);
  }
  return out;
}

std::optional<double> paper_hours(const std::string& name, double milliseconds) {
  constexpr double kSteps = 80'000, kPairs = 512;
  const Setting& celeba = kSettings[0];
  if (!name.starts_with(celeba.name())) return {};
  return kSteps * kPairs / static_cast<double>(celeba.batch) * milliseconds / 3.6e6;
}

}  // namespace adassl::bench
