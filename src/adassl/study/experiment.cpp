#include "adassl/study/experiment.h"

#include <algorithm>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/core/hash.h"
#include "adassl/core/text.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/fused.h"
#include "adassl/nn/mlp.h"

namespace adassl::study {
namespace {

nn::Kernels kernels_of(const parts::ComputeOptions& options) {
  return options.kernels == "fused" ? nn::Kernels::kFused : nn::Kernels::kReference;
}

void use(const parts::ComputeOptions& options) {
  nn::use_kernels(kernels_of(options), static_cast<int>(options.threads), false);
  nn::use_precision(options.precision == "bf16" ? nn::Precision::kBfloat16
                                                : nn::Precision::kFloat32);
}

/// Why the requested bfloat16 has no effect; empty if it has one or was not requested.
std::string bf16_in_vain(const model::Method& method) {
  if (nn::precision() != nn::Precision::kBfloat16) return "";
  if (!nn::multiplies_in_bf16()) {
    return "float32 instead of bf16: products of bfloat16 would be slower on this machine";
  }
  const auto parts = method.modules();
  const bool gains = std::ranges::any_of(parts, [](const auto& part) {
    if (const auto* mlp = dynamic_cast<const nn::Mlp*>(part.get())) return mlp->gains_by_bf16();
    return dynamic_cast<const nn::ConvolutionLayer*>(part.get()) != nullptr;
  });
  return gains ? "" : "bf16 changes nothing here: no convolution, no network 512 wide with ReLU";
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
  if (suites == std::vector<std::string>{std::string(parts::kAuto)}) {
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

/// Chooses the online probe: the one of the configuration or, if that is "auto", the first of the
/// suites that can serve as one, or else the first of all evaluations that can.
void choose_watch(const Evaluations& known, Experiment& out) {
  std::vector<std::string> candidates = out.evaluate.suites;
  for (const auto& [name, evaluation] : known) candidates.push_back(name);
  if (out.evaluate.watch != parts::kAuto) candidates = {out.evaluate.watch};
  const evaluation::Subject subject{*out.method, *out.source, out.seed};
  for (const std::string& candidate : candidates) {
    for (const auto& [name, evaluation] : known) {
      if (name != candidate || !evaluation->obstacle(subject).empty()) continue;
      out.watch = evaluation->watching(out.evaluate.probe_samples);
      if (!out.watch) continue;
      out.evaluate.watch = name;
      return;
    }
  }
  ADASSL_CHECK(out.evaluate.watch == parts::kAuto,
               "[evaluate.watch] expected an evaluation that "
               "can be asked on the way and fits the data, got '",
               out.evaluate.watch, "'");
}

std::vector<Scalar> scalars(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

Experiment build_experiment(Config config, const Tables& tables) {
  Experiment out;
  static_cast<parts::Settings&>(out) = parts::resolve(config, catalogue_of(tables));
  use(out.compute);
  const auto& source = read_kind(tables.sources, config, "data", "numerical");
  out.source = source.make(config, "data", out.seed);
  const auto shape = out.source->shape();
  nn::take_fallback_notes();  // discards those of an earlier experiment
  out.method = model::make_method(config, {shape.observation, shape.change, out.seed, tables.parts},
                                  tables.methods);
  out.fallbacks = nn::take_fallback_notes();
  nn::use_kernels(kernels_of(out.compute), static_cast<int>(out.compute.threads),
                  !out.fallbacks.empty());
  out.precision = out.compute.precision;
  if (const auto line = bf16_in_vain(*out.method); !line.empty()) {
    out.fallbacks.push_back(line);
    out.precision = "fp32";
  }
  if (out.method->parameters().empty()) out.loop.steps = 0;
  const Evaluations known = make_evaluations(config, tables);
  choose_suites(known, out);
  choose_watch(known, out);
  config.resolve("evaluate.suites", scalars(out.evaluate.suites));
  config.resolve("evaluate.watch", out.evaluate.watch);
  out.resolved = config.resolved();
  out.hash = text::hex(hash(out.resolved));
  return out;
}

}  // namespace adassl::study
