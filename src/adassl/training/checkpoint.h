#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/optim/adamw.h"
#include "adassl/optim/flat_parameters.h"
#include "adassl/storage/json_lines.h"

namespace adassl::training {

/// Thrown for an intact checkpoint of a run with another configuration or of another model.
class OfAnotherRun : public Error {
 public:
  using Error::Error;
};

/// The complete state of a run between two steps. Randomness has no state, so nothing else is
/// needed.
struct State {
  State(torch::nn::Module& trained, const optim::AdamW::Options& options,
        nn::ComputePtr computed = nn::default_compute())
      : module(trained),
        compute(computed),
        parameters(trained),
        optimizer(options, parameters, std::move(computed)) {}
  State(const State&) = delete;  // the optimiser points at the parameters
  State& operator=(const State&) = delete;

  torch::nn::Module& module;
  nn::ComputePtr compute;
  optim::FlatParameters parameters;
  optim::AdamW optimizer;
  int64_t step = 0;  // steps done
};

/// The name of a tensor that contains NaN or infinity: a parameter, a moment of the optimiser, a
/// weight of a target network, or a statistic of a normalisation layer. Empty if all are finite.
std::string not_finite(const State& state);

/// The metadata of a checkpoint: where it comes from.
struct Origin {
  std::string config_hash;
  std::string computed_by = {};  // versions of program and LibTorch, kernels, precision
  storage::Extent metrics = {};  // of metrics.jsonl at this step
  std::string data = {};         // what study/restore.h says about the data
};

/// Writes `step-0000000000500.safetensors` into the folder, atomically and with a checksum, then
/// removes all but the newest `keep`, and any of a later step: those are damaged, otherwise the run
/// would have resumed from them. WriteError when it cannot be written; older checkpoints stay as
/// they are.
std::filesystem::path save_checkpoint(const State& state, const std::filesystem::path& folder,
                                      const Origin& origin, int64_t keep);

/// Whether there is any, intact or not.
bool has_checkpoint(const std::filesystem::path& folder);

struct LoadedCheckpoint {
  std::filesystem::path path;
  Origin origin;
};

/// Restores the newest intact checkpoint; damaged ones are reported to `warn` and skipped. Returns
/// nullopt when there is no checkpoint. Error when the newest intact one belongs to another run, or
/// when checkpoints exist but none can be read: a run that began anew would overwrite them.
std::optional<LoadedCheckpoint> load_newest_checkpoint(
    State& state, const std::filesystem::path& folder, const std::string& config_hash,
    const std::function<void(const std::string&)>& warn);

/// `Origin::data` of the newest intact checkpoint; empty if there is none, or if it was written by
/// a version that did not store it.
std::string data_of_newest_checkpoint(const std::filesystem::path& folder);

/// The named parameters and buffers of a module, as safetensors.
void save_weights(const torch::nn::Module& module, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata);

}  // namespace adassl::training
