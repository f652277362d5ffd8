#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/optim/adamw.h"
#include "adassl/optim/flat_parameters.h"
#include "adassl/storage/json_lines.h"

namespace adassl::training {

/// A checkpoint that is whole, but of a run with another configuration, or of another model.
class OfAnotherRun : public Error {
 public:
  using Error::Error;
};

/// Everything that a run is, between two steps. Randomness has no state, so this is all of it.
struct State {
  State(torch::nn::Module& trained, const optim::AdamW::Options& options)
      : module(trained), parameters(trained), optimizer(options, parameters) {}
  State(const State&) = delete;  // the optimiser points at the parameters
  State& operator=(const State&) = delete;

  torch::nn::Module& module;
  optim::FlatParameters parameters;
  optim::AdamW optimizer;
  int64_t step = 0;  // steps done
};

/// The name of a tensor that holds NaN or infinity: of the parameters, of the optimiser's moments,
/// of a network that follows, or of a norm's statistics. Empty where all are finite.
std::string not_finite(const State& state);

/// What a checkpoint says besides its tensors.
struct Origin {
  std::string config_hash;
  std::string computed_by = {};  // the program, its LibTorch and its instructions
  storage::Extent metrics = {};  // metrics.jsonl as it was at this step
};

/// Writes `step-0000000000500.safetensors` into the folder, atomically and with a checksum, then
/// removes all but the newest `keep`, and any of a later step: those were damaged, or this run
/// would not be here. WriteError when it cannot be written; older checkpoints stay as they are.
std::filesystem::path save_checkpoint(const State& state, const std::filesystem::path& folder,
                                      const Origin& origin, int64_t keep);

struct LoadedCheckpoint {
  std::filesystem::path path;
  Origin origin;
};

/// Restores the newest checkpoint that is whole; a damaged one is named to `warn` and passed over.
/// Nothing when there is no checkpoint. Error when the newest whole one belongs to another run, or
/// when there are some and none can be read: whoever began anew would overwrite them.
std::optional<LoadedCheckpoint> load_newest_checkpoint(
    State& state, const std::filesystem::path& folder, const std::string& config_hash,
    const std::function<void(const std::string&)>& warn);

/// The named parameters and buffers of a module, as safetensors.
void save_weights(const torch::nn::Module& module, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata);

}  // namespace adassl::training
