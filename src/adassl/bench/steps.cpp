#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include "adassl/bench/cases.h"
#include "adassl/model/editor.h"
#include "adassl/model/encoder.h"
#include "adassl/model/latent.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/tensors.h"
#include "adassl/study/experiment.h"
#include "adassl/training/checkpoint.h"

namespace adassl::bench {
namespace {

constexpr const char* kMethods[] = {"infonce", "aninfonce", "hinfonce-mlp", "adassl-v", "adassl-s"};
constexpr double kTau = 0.1;
constexpr double kDirections = 2;

/// The experiment of configs/numerical-complex-*.toml. Options not set here have their defaults.
study::Experiment experiment_of(const std::string& method, const std::string& kernels) {
  Config config = Config::from_text("data.mixing_candidates = 100\n", "bench");
  config.override_with("method=" + method);
  config.override_with("compute.kernels=" + kernels);
  config.override_with(fmt::format("train.batch={}", kBatch));
  if (method == "hinfonce-mlp") config.override_with("objective.predictor=true");
  return study::build_experiment(std::move(config));
}

/// Computes the same as JointEmbedding::forward of an isotropic, symmetric model, but with
/// textbook_loss.
Tensor textbook_forward(const model::Method& method, const model::Views& views, int64_t step,
                        const random::Stream& noise) {
  auto& latent = part_of<model::Latent>(method, "latent");
  auto& editor = part_of<model::Editor>(method, "editor");
  const auto& objective = part_of<torch::nn::Module>(method, "objective");
  const bool helped = latent.needs_helper();
  std::vector<Tensor> seen = {views.x, views.x_plus};
  if (helped) seen.insert(seen.end(), {views.helper, views.mirror_helper});
  const std::vector<Tensor> e = part_of<model::Encoder>(method, "encoder").forward(seen);
  const Tensor lambda = part_of<model::Similarity>(objective, "similarity").concentration(e[0]);
  const auto direction = [&](size_t from, const char* name) {
    const Tensor helper = helped ? e[2 + from] : Tensor();
    const model::Draw draw = latent.infer({e[from], helper, {}}, noise.named(name));
    const Tensor q = nn::normalise(editor.edit(e[from], draw.r));
    return textbook_loss(q, nn::normalise(e[1 - from]), lambda, kTau) +
           latent.beta(step) * model::regulariser(draw);
  };
  return (direction(0, "forward") + direction(1, "backward")) / kDirections;
}

/// A model that is trained step by step on one fixed batch.
class Step {
 public:
  Step(const std::string& method, const std::string& kernels)
      : experiment_(experiment_of(method, kernels)),
        state_(*experiment_.method, experiment_.optimizer, experiment_.computation),
        batch_(experiment_.source->pairs({experiment_.seed, "bench"}, experiment_.loop.batch)) {}

  void run(bool textbook = false) {
    const int64_t step = ++state_.step;
    const random::Stream noise(experiment_.seed, "noise", static_cast<uint64_t>(step));
    const model::Views views = model::views(batch_);
    model::Method& method = *experiment_.method;
    state_.optimizer.zero_gradients();
    const Tensor loss = textbook ? textbook_forward(method, views, step, noise)
                                 : method.forward(views, step, noise).total;
    loss.backward();
    state_.optimizer.step(step, state_.optimizer.gradient_norm());
  }

  /// The operations of the matrix products: networks, editors, and the contrastive loss of both
  /// directions.
  double flops() const {
    const auto rows = static_cast<double>(experiment_.loop.batch);
    const model::Method& method = *experiment_.method;
    const double views = part_of<model::Latent>(method, "latent").needs_helper() ? 4 : 2;
    double products = 0;
    for (const auto& item : method.named_parameters()) {
      if (item.value().dim() != 2) continue;
      const bool encodes = item.key().starts_with("encoder.");
      const bool first = item.key() == "encoder.mlp.linear0.weight";  // no gradient for x
      products += static_cast<double>(item.value().numel()) * rows *
                  (encodes ? views : kDirections) * (first ? 2 : 3);
    }
    const auto d =
        static_cast<double>(part_of<model::Encoder>(method, "encoder").embedding_width());
    // If each row has its own weights, the product is with k and k^2. If there is no editor and all
    // rows share their weights, one matrix serves both directions.
    const std::string& name = experiment_.method_name;
    const double width = name.starts_with("hinfonce") ? 2 * d : d;
    const double matrices = name == "infonce" || name == "aninfonce" ? 1 : kDirections;
    return 2 * (products + 3 * matrices * rows * rows * width);
  }

 private:
  study::Experiment experiment_;
  training::State state_;
  Batch batch_;
};

/// The resident memory of this process without file-backed pages, so that code which is called for
/// the first time does not count.
int64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  int64_t size = 0, resident = 0, shared = 0;
  in >> size >> resident >> shared;
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

/// The memory that the first steps allocate beyond the model itself.
int64_t growth_by(Step& step) {
  malloc_trim(0);  // otherwise the steps could reuse memory that was freed before
  const int64_t before = resident_bytes();
  for (int i = 0; i < 2; ++i) step.run();
  return std::max<int64_t>(0, resident_bytes() - before);
}

Work step_work(const std::string& method, bool textbook) {
  // Each side trains a model of its own.
  auto fused = std::make_shared<Step>(method, "fused");
  auto reference = std::make_shared<Step>(method, "reference");
  const int64_t growth = growth_by(*fused);
  return {.fused = [fused] { fused->run(); },
          .reference = [reference, textbook] { reference->run(textbook); },
          .flops = fused->flops(),
          .extra_bytes = [growth] { return growth; }};
}

}  // namespace

std::vector<Case> step_cases(int threads) {
  std::vector<Case> out;
  for (const std::string method : kMethods) {
    out.push_back({fmt::format("whole step without data, {}, N={}", method, kBatch), threads,
                   [method] { return step_work(method, false); }});
  }
  for (const std::string method : {"infonce", "adassl-v"}) {
    out.push_back(
        {fmt::format("whole step, {}, N={} (reference: textbook formula)", method, kBatch), threads,
         [method] { return step_work(method, true); }});
  }
  return out;
}

std::vector<Case> step_scaling_cases(int threads) {
  std::vector<Case> out;
  for (const std::string method : {"infonce", "adassl-v"}) {
    for (int count = 1; count <= threads; ++count) {
      out.push_back({fmt::format("whole step, {}, N={}, threads={}", method, kBatch, count), count,
                     [method] { return step_work(method, false); }});
    }
  }
  return out;
}

}  // namespace adassl::bench
