#include "adassl/study/experiment.h"

#include <algorithm>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/core/hash.h"
#include "adassl/core/text.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/mlp.h"

namespace adassl::study {
namespace {

torch::Device device_of(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  ADASSL_CHECK(at::hasCUDA(),
               "[compute] device: expected cpu, since this LibTorch has no CUDA, got '", name, "'");
  const torch::Device device(name);
  const auto count = static_cast<int64_t>(at::detail::getCUDAHooks().getNumGPUs());
  ADASSL_CHECK(device.index() < count && count > 0, "[compute] device: expected one of ", count,
               " CUDA devices, got '", name, "'");
  return device;
}

/// Why the requested bfloat16 has no effect; empty if it has one or was not requested.
std::string bf16_in_vain(const model::Method& method, const nn::Compute& compute) {
  if (compute.precision != nn::Precision::kBfloat16) return "";
  if (!compute.multiplies_in_bf16()) {
    return "float32 is used instead of bf16, which would be slower on this machine";
  }
  const auto parts = method.modules();
  const bool gains = std::ranges::any_of(parts, [](const auto& part) {
    if (const auto* mlp = dynamic_cast<const nn::Mlp*>(part.get())) return mlp->gains_by_bf16();
    return dynamic_cast<const nn::Convolution*>(part.get()) != nullptr;
  });
  return gains ? "" : "bf16 changes nothing: no convolution and no ReLU network at least 512 wide";
}

using Evaluations = std::vector<std::pair<std::string, std::shared_ptr<evaluation::Evaluation>>>;

Evaluations make_evaluations(Config& config, const Tables& tables) {
  Evaluations out;
  for (const auto& entry : tables.evaluations) {
    const std::string name(entry.name);
    out.emplace_back(name, entry.make(config, "evaluate." + name));
  }
  return out;
}

/// Chooses the evaluations: those of the configuration or, if that is "auto", those that fit the
/// data.
void choose_suites(const Evaluations& known, Experiment& out) {
  auto& suites = out.evaluate.suites;
  if (parts::is_auto(suites)) {
    suites.clear();
    for (const auto& [name, evaluation] : known) {
      if (evaluation->fits(*out.source)) suites.push_back(name);
    }
  }
  for (const std::string& suite : suites) {
    for (const auto& [name, evaluation] : known) {
      if (name == suite) out.evaluations.push_back(evaluation);
    }
  }
}

/// The small version of an evaluation; null if it has none or does not fit the method and the data.
std::shared_ptr<evaluation::Evaluation> small_version(const evaluation::Evaluation& of,
                                                      const Experiment& experiment) {
  if (!of.obstacle(subject_of(experiment)).empty()) return nullptr;
  return of.watching({experiment.evaluate.probe_samples, experiment.evaluate.watch_pairs});
}

/// Chooses what watches a run: the evaluations of the configuration or, if that is "auto", the
/// first probe among the suites, or else among all evaluations, and all that need no labels.
void choose_watch(const Evaluations& known, Experiment& out) {
  std::vector<std::string>& watch = out.evaluate.watch;
  const bool automatic = parts::is_auto(watch);
  std::vector<std::string> candidates = automatic ? out.evaluate.suites : watch;
  if (automatic) {
    for (const auto& [name, evaluation] : known) candidates.push_back(name);
  }
  watch.clear();
  bool probed = false;
  for (const std::string& candidate : candidates) {
    for (const auto& [name, evaluation] : known) {
      const bool again = std::ranges::find(watch, name) != watch.end();
      if (name != candidate || again || (automatic && probed && !evaluation->label_free()))
        continue;
      auto small = small_version(*evaluation, out);
      ADASSL_CHECK(small || automatic,
                   "[evaluate.watch] expected evaluations that can run during training and fit the "
                   "data, got '",
                   name, "'");
      if (!small) continue;
      out.watch.push_back(std::move(small));
      watch.push_back(name);
      probed = probed || !evaluation->label_free();
    }
  }
}

std::vector<Scalar> scalars(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

data::Prefetch prefetch_of(const parts::LoopOptions& options) {
  return {options.workers, options.prefetch};
}

nn::ComputePtr compute_of(const parts::ComputeOptions& options) {
  const auto out = std::make_shared<nn::Compute>();
  if (options.kernels == "reference") out->kernels = nn::Kernels::kReference;
  if (options.precision == "bf16") out->precision = nn::Precision::kBfloat16;
  out->threads = static_cast<int>(options.threads);
  out->device = device_of(options.device);
  if (!out->device.is_cpu()) {
    out->note_fallback("the reference kernels run on device " + options.device);
    out->kernels = nn::Kernels::kReference;
  }
  return out;
}

evaluation::Subject subject_of(const Experiment& experiment) {
  return {.method = *experiment.method,
          .source = *experiment.source,
          .seed = experiment.seed,
          .compute = experiment.computation,
          .prefetch = prefetch_of(experiment.loop)};
}

Experiment build_experiment(Config config, const Tables& tables, Begin begin) {
  Experiment out;
  static_cast<parts::Settings&>(out) = parts::resolve(config, catalogue_of(tables));
  out.computation = compute_of(out.compute);
  nn::use_threads(*out.computation);
  const auto& source = read_kind(tables.sources, config, "data", "numerical");
  out.source = source.make(config, "data", out.seed);
  const auto shape = out.source->shape();
  model::MethodContext context{.observation = shape.observation,
                               .change = shape.change,
                               .seed = out.seed,
                               .parts = tables.parts,
                               .compute = out.computation,
                               .restored = begin == Begin::kRestored};
  out.untrained = [config, context, methods = tables.methods]() {
    Config copy = config;
    model::MethodContext fresh = context;
    fresh.restored = true;
    return model::make_method(copy, fresh, methods);
  };
  out.method = model::make_method(config, context, tables.methods);
  out.fallbacks = out.computation->fallbacks;
  out.precision = out.compute.precision;
  if (const auto line = bf16_in_vain(*out.method, *out.computation); !line.empty()) {
    out.fallbacks.push_back(line);
    out.precision = "fp32";
  }
  if (out.method->parameters().empty()) out.loop.steps = 0;
  const Evaluations known = make_evaluations(config, tables);
  choose_suites(known, out);
  choose_watch(known, out);
  config.resolve("evaluate.suites", scalars(out.evaluate.suites));
  config.resolve("evaluate.watch", scalars(out.evaluate.watch));
  out.resolved = config.resolved();
  out.hash = text::hex(hash(out.resolved));
  return out;
}

}  // namespace adassl::study
