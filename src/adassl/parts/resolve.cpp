#include "adassl/parts/resolve.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/core/host.h"

namespace adassl::parts {
namespace {

bool is_device(std::string_view name) {
  if (name == "cpu" || name == "cuda") return true;
  if (!name.starts_with("cuda:")) return false;
  name.remove_prefix(5);
  return !name.empty() && name.size() <= 3 &&
         name.find_first_not_of("0123456789") == std::string_view::npos;
}

ComputeOptions read_compute(Config& config) {
  auto options = config.read<ComputeOptions>("compute");
  ADASSL_CHECK(is_device(options.device), "[compute] device: expected cpu, cuda or cuda:N, got '",
               options.device, "'");
  ADASSL_CHECK(
      options.kernels == "fused" || options.precision == "fp32",
      "[compute] precision: bf16 needs adassl's own kernels; expected kernels = \"fused\"");
  if (options.threads == 0) options.threads = host::logical_cores();
  config.resolve("compute.threads", options.threads);
  return options;
}

void read_part(Config& config, const Catalogue& catalogue, const PartDescription& part,
               const std::string& section) {
  part.read(config, section);
  for (const PartUse& use : part.uses) {
    const std::string used(use.section);
    read_part(config, catalogue, read_kind(catalogue.parts.at(used), config, used, use.otherwise),
              used);
  }
}

LoopOptions read_loop(Config& config) {
  auto options = config.read<LoopOptions>("train");
  ADASSL_CHECK(options.horizon == 0 || options.horizon >= options.steps, "[", config.where(),
               "] train.horizon: expected at least train.steps = ", options.steps, ", got ",
               options.horizon);
  return options;
}

EvaluateOptions read_evaluate(Config& config, const Catalogue& catalogue) {
  auto options = config.read<EvaluateOptions>("evaluate");
  const auto require_known = [&](const std::vector<std::string>& names, const char* key) {
    if (is_auto(names)) return;
    for (const std::string& name : names) find(catalogue.evaluations, key, name);
  };
  require_known(options.suites, "evaluate.suites");
  require_known(options.watch, "evaluate.watch");
  for (const PartDescription& evaluation : catalogue.evaluations) {  // any may be chosen later
    evaluation.read(config, join("evaluate.", evaluation.name));
  }
  return options;
}

}  // namespace

Config read_run_config(const std::filesystem::path& path,
                       const std::vector<std::string>& overrides) {
  Config config = Config::from_file(path);
  ADASSL_CHECK(config.count("rows") == 0, "[", path.string(),
               "] is a study, not the configuration of one run: 'adassl reproduce' runs it");
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

Settings resolve(Config& config, const Catalogue& catalogue) {
  Settings out;
  out.method_name =
      config.read_text("method", "adassl-v", "which method", names(catalogue.methods));
  out.seed = static_cast<uint64_t>(config.read<TopOptions>("").seed);
  out.compute = read_compute(config);
  read_part(config, catalogue, read_kind(catalogue.sources, config, "data", "numerical"), "data");
  const MethodDescription& method = find(catalogue.methods, "method", out.method_name);
  apply(method, config);
  read_part(config, catalogue, method, "model");
  out.loop = read_loop(config);
  out.observers = config.read<ObserverOptions>("train");
  out.loop.horizon = horizon_of(out.loop);
  config.resolve("train.horizon", out.loop.horizon);
  out.optimizer = config.read<AdamWOptions>("optimizer");
  out.evaluate = read_evaluate(config, catalogue);
  config.require_all_read();
  return out;
}

}  // namespace adassl::parts
