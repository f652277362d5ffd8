#include "adassl/study/experiment.h"

#include <algorithm>
#include <map>

#include "adassl/core/error.h"
#include "adassl/core/hash.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/model/methods/joint_embedding.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/fused.h"
#include "adassl/nn/mlp.h"

namespace adassl::study {
namespace {

struct TopOptions {
  int64_t seed = 1;
  void visit(Fields& field) {
    field("seed", seed, "names the trial: data, initial weights and noise follow from it",
          {0, 9e15});
  }
};

nn::Kernels kernels_of(const ComputeOptions& options) {
  return options.kernels == "fused" ? nn::Kernels::kFused : nn::Kernels::kReference;
}

ComputeOptions choose_compute(Config& config) {
  auto options = config.read<ComputeOptions>("compute");
  ADASSL_CHECK(
      options.kernels == "fused" || options.precision == "fp32",
      "[compute] precision: bf16 is done by kernels of our own; expected kernels = \"fused\"");
  if (options.threads == 0) options.threads = host::logical_cores();
  config.resolve("compute.threads", options.threads);
  nn::use_kernels(kernels_of(options), static_cast<int>(options.threads), false);
  nn::use_precision(options.precision == "bf16" ? nn::Precision::kBfloat16
                                                : nn::Precision::kFloat32);
  return options;
}

/// Why a wish for bfloat16 changes nothing, or nothing to say.
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

}  // namespace

Experiment build_experiment(Config config) {
  Experiment out;
  // `method` stands first in the resolved text; make_method reads it once more and checks it.
  out.method_name = config.read_text("method", "adassl-v", "", names(model::methods()));
  out.seed = static_cast<uint64_t>(config.read<TopOptions>("").seed);
  out.compute = choose_compute(config);
  out.source = make_part(data::sources(), config, "data", "numerical", out.seed);
  const auto shape = out.source->shape();
  nn::take_fallback_notes();  // of whoever was built before
  out.method = model::make_method(config, {shape.observation, shape.change, out.seed});
  out.fallbacks = nn::take_fallback_notes();
  nn::use_kernels(kernels_of(out.compute), static_cast<int>(out.compute.threads),
                  !out.fallbacks.empty());
  out.precision = out.compute.precision;
  if (const auto line = bf16_in_vain(*out.method); !line.empty()) {
    out.fallbacks.push_back(line);
    out.precision = "fp32";
  }
  out.loop = config.read<training::LoopOptions>("train");
  out.observers = config.read<training::ObserverOptions>("train");
  ADASSL_CHECK(out.loop.horizon == 0 || out.loop.horizon >= out.loop.steps, "[", config.where(),
               "] train.horizon: expected at least train.steps = ", out.loop.steps, ", got ",
               out.loop.horizon);
  out.loop.horizon = training::horizon_of(out.loop);
  config.resolve("train.horizon", out.loop.horizon);
  out.optimizer = config.read<optim::AdamW::Options>("optimizer");
  if (out.method->parameters().empty()) {
    out.loop.steps = 0;
  }
  out.evaluate = config.read("evaluate", EvaluateOptions{.suites = out.source->suites()});
  std::map<std::string, std::shared_ptr<evaluation::Evaluation>> known;
  for (const auto& entry : evaluation::evaluations()) {  // all are read, so that all can be chosen
    const std::string name(entry.name);
    known[name] = entry.make(config, "evaluate." + name);
  }
  for (const std::string& suite : out.evaluate.suites) out.evaluations.push_back(known.at(suite));
  config.require_all_read();
  out.resolved = config.resolved();
  out.hash = text::hex(hash(out.resolved));
  return out;
}

std::vector<std::pair<std::string, std::vector<FieldDescription>>> run_options() {
  return {{"", describe<TopOptions>()},
          {"model", describe<model::JointEmbedding::Options>()},
          {"train", describe<training::LoopOptions>()},
          {"train", describe<training::ObserverOptions>()},
          {"optimizer", describe<optim::AdamW::Options>()},
          {"evaluate", describe<EvaluateOptions>()},
          {"compute", describe<ComputeOptions>()}};
}

}  // namespace adassl::study
