#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/commands.h"
#include "adassl/core/error.h"
#include "adassl/data/numerical.h"
#include "adassl/nn/tensors.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/run.h"
#include "adassl/theory/theory.h"
#include "adassl/training/loop.h"

namespace adassl::cli {
namespace {

using theory::Claim;

struct Arguments {
  bool json = false;
  uint64_t seed = 1;
  std::string run;
};

constexpr int64_t kPoints = 256;

/// Trains for a few hundred steps: enough that the encoder is no longer random.
study::Experiment train_small(uint64_t seed) {
  Config config = Config::from_text(
      "method = 'infonce'\n"
      "data.conditional = 'isotropic'\n"
      "model.space = 'hypersphere'\n"
      "train.steps = 300\n"
      "train.batch = 512\n"
      "compute.threads = 1\n",  // a second thread gains little here and waits on a busy machine
      "verify-theory");
  config.override_with(fmt::format("seed={}", seed));
  study::Experiment experiment = study::build_experiment(std::move(config));
  training::State state(*experiment.method, experiment.optimizer, experiment.computation);
  training::run_loop(experiment.loop, experiment.seed, *experiment.source, *experiment.method,
                     state, {});
  return experiment;
}

study::Experiment load(const std::string& directory) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kNo);
  return study::load_run(run).experiment;
}

/// Samples z = [c, s] from the distribution of the experiment's latents, in double precision.
Tensor latents(const data::Numerical& source, uint64_t seed) {
  const random::Stream stream(seed, "theory/latents");
  const Samples samples = source.samples("pz", stream, kPoints);
  const Tensor content = nn::view(samples.known).to(torch::kFloat64);
  const int64_t style = samples.x.columns() - content.size(1);
  return torch::cat({content, nn::normal(kPoints, style, stream.named("style"), content)}, 1);
}

std::vector<Claim> check_trained(const std::string& name, const study::Experiment& experiment) {
  const auto* source = dynamic_cast<const data::Numerical*>(experiment.source.get());
  ADASSL_CHECK(source, "[verify-theory] expected a run on numerical data, whose mixing is known");
  const auto options =
      Config::from_text(experiment.resolved, name).read<data::Numerical::Options>("data");
  const auto& method = experiment.method;
  method->eval();
  method->to(torch::kFloat64);
  const theory::Map h =
      theory::after([method](const Tensor& x) { return method->embed(x); },
                    theory::mixing_map(source->mixing(), options.mixing.activations,
                                       options.mixing.slope, theory::Activation::kLeaky));
  const Tensor z = latents(*source, experiment.seed);
  const double off_sphere = (h(z).norm(2, {1}) - 1).abs().max().item<double>();
  ADASSL_CHECK(off_sphere < 1e-6,
               "[verify-theory] expected embeddings on the hypersphere, got "
               "lengths that differ from 1 by ",
               off_sphere, "; proposition 1 does not apply to them");
  return theory::check_map_to_sphere(
      name, h, theory::setting_at(z, {experiment.seed, "theory/run"}), theory::kKinked);
}

std::vector<Claim> verify(const Arguments& arguments) {
  const study::Experiment trained =
      arguments.run.empty() ? train_small(arguments.seed) : load(arguments.run);
  std::vector<Claim> claims =
      check_trained(arguments.run.empty() ? "trained InfoNCE encoder" : arguments.run, trained);
  for (const auto& more : {theory::check_first_proposition(arguments.seed),
                           theory::check_second_proposition(arguments.seed)}) {
    claims.insert(claims.end(), more.begin(), more.end());
  }
  return claims;
}

std::string json_of(const std::vector<Claim>& claims) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Claim& claim : claims) {
    out.push_back({{"proposition", claim.proposition},
                   {"map", claim.map},
                   {"claim", claim.claim},
                   {"measured", claim.measured},
                   {"expected", claim.expected},
                   {"passed", claim.passed}});
  }
  return out.dump(2) + "\n";
}

}  // namespace

void add_verify_theory(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "verify-theory");
  command->add_flag("--json", arguments->json, "print JSON");
  command
      ->add_option("--seed", arguments->seed,
                   "seed of the points, the maps and the trained encoder")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--run", arguments->run,
                      "use the encoder of this run (default: train a small one in memory)");
  command->callback([arguments, &context] {
    const std::vector<Claim> claims = verify(*arguments);
    std::cout << (arguments->json ? json_of(claims) : theory::table_of(claims));
    context.exit_code = theory::all_passed(claims) ? 0 : 1;
  });
}

}  // namespace adassl::cli
