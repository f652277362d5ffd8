#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "adassl/bench/cases.h"
#include "adassl/bench/networks.h"
#include "adassl/core/config.h"
#include "adassl/model/editor.h"
#include "adassl/model/encoder.h"
#include "adassl/model/encoders/video_cnn.h"
#include "adassl/model/latent.h"
#include "adassl/model/method.h"
#include "adassl/model/objective.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/norm_relu_function.h"
#include "adassl/training/checkpoint.h"

namespace adassl::bench {
namespace {

using model::Encoder;

constexpr const char* kMethods[] = {"byol", "adassl-v"};
constexpr int64_t kClips = 128;
constexpr int64_t kFrames = 3;
constexpr int64_t kSide = 64;
constexpr size_t kLayers = 5;
constexpr double kPatience = 40;  // seconds; a step takes one or two
constexpr int64_t kSteps = 75'000;

// ---- the models of configs/video-a-byol.toml and video-a-adassl-v.toml

std::shared_ptr<model::Method> method_of(const std::string& name,
                                         const nn::ComputePtr& compute = nn::default_compute()) {
  Config config = Config::from_text(
      "model.symmetric = false\n"
      "encoder.kind = 'video_cnn'\n"
      "objective.kind = 'distillation'\n"
      "objective.hidden = [1024, 1024]\n",
      "bench");
  config.override_with("method=" + name);
  if (name == "adassl-v") {
    for (const char* line : {"latent.dim=2", "latent.beta=0.001", "latent.warmup_steps=0",
                             "latent.hidden=[1024]", "latent.slope=0.0", "editor.kind=concat"}) {
      config.override_with(line);
    }
  }
  auto method = model::make_method(config, {{1, kFrames, kSide, kSide}, 0, 1, {}, compute});
  config.require_all_read();
  method->train();
  return method;
}

/// Clips of noise: what is seen does not change how long it takes.
Tensor clips(const char* purpose) {
  return normal(kClips, kFrames * kSide * kSide, purpose).view({kClips, 1, kFrames, kSide, kSide});
}

// ---- convolutions, with the input and the gradient that a step would have

struct Convolution {
  std::shared_ptr<nn::Convolution> layer;
  std::shared_ptr<nn::BatchNorm> norm;  // behind it
  Tensor x;                             // frames as pictures, or columns of pixels over time
  Tensor dy;                            // of the output's shape
  double flops = 0;

  Tensor forward(const nn::Compute& compute) const { return layer->forward(x, compute); }
};

std::vector<Convolution> convolutions_of(const torch::nn::Module& encoder) {
  std::vector<Convolution> out;
  for (const NetworkLayer& of : video_network().layers) {
    Convolution one;
    const auto layer = encoder.named_children()[fmt::format("layer{}", out.size())];
    one.layer = std::dynamic_pointer_cast<nn::Convolution>(layer);
    one.norm = std::dynamic_pointer_cast<nn::BatchNorm>(layer->named_children()["norm"]);
    one.x = pictures(of.x, "x").requires_grad_(!of.first);
    const torch::NoGradGuard no_grad;
    one.dy = pictures(one.forward(nn::Compute{}).sizes().vec(), "dy");
    one.flops = convolution_flops(of.shape, of.x);
    out.push_back(std::move(one));
  }
  return out;
}

/// What a step does with an encoder: views that learn go forward and backward, the target network
/// only forward.
struct Passes {
  std::shared_ptr<model::Method> method;
  std::vector<Convolution> convolutions;
  int views;

  explicit Passes(const std::string& name)
      : method(method_of(name)),
        convolutions(convolutions_of(part_of<Encoder>(*method, "encoder"))),
        views(name == "adassl-v" ? 2 : 1) {}

  /// forward(layer) -> the output, backward(layer, output).
  template <class Forward, class Backward>
  void run(const Forward& forward, const Backward& backward) const {
    std::vector<std::vector<Tensor>> outputs(static_cast<size_t>(views));
    for (auto& view : outputs) {
      for (const Convolution& one : convolutions) view.push_back(forward(one));
    }
    {
      const torch::NoGradGuard no_grad;
      for (const Convolution& one : convolutions) forward(one);
    }
    for (auto& view : outputs) {
      for (size_t i = kLayers; i-- > 0;) {
        backward(convolutions[i], view[i]);
        view[i] = Tensor();
      }
    }
  }

  double flops() const {
    double out = 0;
    for (size_t i = 0; i < kLayers; ++i) {
      out += convolutions[i].flops * (1 + views * (i > 0 ? 3 : 2));
    }
    return out;
  }
};

void run_convolutions(const Passes& passes, const nn::Compute& compute) {
  passes.run([&](const Convolution& one) { return one.forward(compute); },
             [](const Convolution& one, const Tensor& y) {
               std::vector<Tensor> wanted = {one.layer->weight};
               if (one.x.requires_grad()) wanted.push_back(one.x);
               torch::autograd::grad({y}, wanted, {one.dy});
             });
}

Case layer_case(int threads, size_t i, const char* what) {
  const std::string kind = what;
  return {fmt::format("video, convolution {}, {}", i, kind), threads, [i, kind] {
            const auto method = method_of("byol");
            const auto one = std::make_shared<Convolution>(
                convolutions_of(part_of<Encoder>(*method, "encoder"))[i]);
            const auto side = [&](const nn::ComputePtr& compute) -> std::function<void()> {
              if (kind == "forward") {
                return [one, compute] {
                  const torch::NoGradGuard no_grad;
                  one->forward(*compute);
                };
              }
              const Tensor wanted = kind == "gradient of x" ? one->x : one->layer->weight;
              return [one, wanted, y = one->forward(*compute)] {
                torch::autograd::grad({y}, {wanted}, {one->dy}, /*retain_graph=*/true);
              };
            };
            return Work{.fused = side(nn::default_compute()),
                        .reference = side(nn::reference_compute()),
                        .flops = one->flops};
          }};
}

// ---- the pieces of a step

Work convolutions_work(const std::string& name) {
  auto passes = std::make_shared<Passes>(name);
  const double flops = passes->flops();
  return {.fused = [passes] { run_convolutions(*passes, nn::Compute{}); },
          .reference = [passes] { run_convolutions(*passes, *nn::reference_compute()); },
          .flops = flops};
}

Work norms_work(const std::string& name) {
  auto passes = std::make_shared<Passes>(name);
  // Of a norm x and y have the shape of the convolution's y.
  for (Convolution& one : passes->convolutions) one.x = one.dy.clone().requires_grad_();
  const auto side = [&](const nn::ComputePtr& compute) {
    return [passes, compute] {
      passes->run([&](const Convolution& one) { return nn::norm_relu(one.x, *one.norm, *compute); },
                  [](const Convolution& one, const Tensor& y) {
                    const nn::BatchNorm& norm = *one.norm;
                    torch::autograd::grad({y}, {one.x, norm.weight, norm.bias}, {one.dy});
                  });
    };
  };
  return {.fused = side(nn::default_compute()), .reference = side(nn::reference_compute())};
}

/// What JointEmbedding::forward computes, from representations instead of clips: projectors,
/// latent, predictor and loss, forward and backward.
std::function<void()> heads_side(const std::string& name, const nn::ComputePtr& compute) {
  const auto method = method_of(name, compute);
  const int64_t width = part_of<Encoder>(*method, "encoder").represent(clips("x")).size(1);
  const Tensor x = normal(kClips, width, "x").requires_grad_();
  const Tensor helper = normal(kClips, width, "helper").requires_grad_();
  const Tensor x_plus = normal(kClips, width, "x_plus");
  return [=] {
    auto& encoder = part_of<Encoder>(*method, "encoder");
    auto& latent = part_of<model::Latent>(*method, "latent");
    const Tensor e = encoder.project(x);
    const Tensor seen = latent.needs_helper() ? encoder.project(helper) : Tensor();
    Tensor target;
    {
      const torch::NoGradGuard no_grad;
      target = part_of<Encoder>(*method, "target").project(x_plus);
    }
    const model::Draw draw = latent.infer({e, seen, {}}, {1, "noise"});
    const Tensor e_hat = part_of<model::Editor>(*method, "editor").edit(e, draw.r);
    Tensor loss = part_of<model::Objective>(*method, "objective").loss({e, e_hat, target}, {});
    if (latent.dim() > 0) loss = loss + latent.beta(1) * model::regulariser(draw);
    loss.backward();
  };
}

Work heads_work(const std::string& name) {
  return {.fused = heads_side(name, nn::default_compute()),
          .reference = heads_side(name, nn::reference_compute())};
}

/// A model of its own, and the next step of its training on one batch that stays.
class Step {
 public:
  Step(const std::string& name, const nn::ComputePtr& compute)
      : method_(method_of(name, compute)),
        state_(*method_, {}, compute),
        views_{clips("x"), clips("x_plus"), clips("helper"), {}, {}} {}

  void run() {
    const int64_t step = state_.step + 1;
    state_.optimizer.zero_gradients();
    method_->forward(views_, step, {1, "noise", static_cast<uint64_t>(step)}).total.backward();
    update();
  }

  /// What follows the gradients.
  void update() {
    const int64_t step = ++state_.step;
    state_.optimizer.step(step, state_.optimizer.gradient_norm());
    method_->after_step(step, kSteps);
  }

  void run_optimizer() {
    state_.optimizer.zero_gradients();
    update();
  }

 private:
  std::shared_ptr<model::Method> method_;
  training::State state_;
  model::Views views_;
};

Work optimizer_work(const std::string& name) {
  const auto side = [&](const nn::ComputePtr& compute) {
    return [step = std::make_shared<Step>(name, compute)] { step->run_optimizer(); };
  };
  return {.fused = side(nn::default_compute()), .reference = side(nn::reference_compute())};
}

Work step_work(const std::string& name) {
  // Two models, so that neither trains the other's.
  const auto side = [&](const nn::ComputePtr& compute) {
    return [step = std::make_shared<Step>(name, compute)] { step->run(); };
  };
  auto passes = std::make_shared<Passes>(name);
  const double flops = passes->flops();
  return {.fused = side(nn::default_compute()),
          .reference = side(nn::reference_compute()),
          .flops = flops,
          .floor = [passes] { run_convolutions(*passes, nn::Compute{}); }};
}

/// The whole step in bfloat16, against the same in float32, both as they train.
Work precision_work(const std::string& name) {
  const auto side = [&](nn::Precision precision) {
    const auto compute = std::make_shared<nn::Compute>(nn::Compute{.precision = precision});
    return [step = std::make_shared<Step>(name, compute)] { step->run(); };
  };
  return {.fused = side(nn::Precision::kBfloat16),
          .reference = side(nn::Precision::kFloat32),
          .reference_by = nn::Kernels::kFused,
          .flops = Passes(name).flops()};
}

}  // namespace

Network video_network() {
  return network_of("video", model::video_cnn(parts::VideoCnnOptions{}.channels),
                    {1, {kFrames, kSide, kSide}}, kClips);
}

std::vector<Case> video_precision_cases(int threads) {
  std::vector<Case> out;
  for (const std::string name : kMethods) {
    out.push_back({fmt::format("video step, {}", name), threads,
                   [name] { return precision_work(name); }, kPatience});
  }
  return out;
}

std::vector<Case> video_cases(int threads) {
  std::vector<Case> out;
  for (size_t i = 0; i < kLayers; ++i) {
    out.push_back(layer_case(threads, i, "forward"));
    if (i > 0) out.push_back(layer_case(threads, i, "gradient of x"));
    out.push_back(layer_case(threads, i, "gradient of weights"));
  }
  for (const std::string name : kMethods) {
    const auto add = [&](const char* what, Work (*work)(const std::string&)) {
      out.push_back({fmt::format("video step, {}, {}", name, what), threads,
                     [name, work] { return work(name); }, kPatience});
    };
    add("convolutions alone", &convolutions_work);
    add("BatchNorm + ReLU of convolutions", &norms_work);
    add("networks and loss", &heads_work);
    add("AdamW and target network", &optimizer_work);
    add("whole (floor: convolutions)", &step_work);
  }
  return out;
}

}  // namespace adassl::bench
