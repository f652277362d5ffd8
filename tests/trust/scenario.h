#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trust/process.h"

/// What a user does with the program, small enough to be done thousands of times.
namespace adassl::trust {

/// Runs that were made once and are copied for each case that needs them.
struct Bases {
  std::filesystem::path halfway;   // killed at a checkpoint
  std::filesystem::path finished;  // from start to end
};
Bases make_bases(const std::filesystem::path& folder);

/// All paths lie beneath a root, the folder whose files are disturbed.
struct Scenario {
  using Path = std::filesystem::path;
  std::string name;
  std::function<void(const Path& root, const Bases&)> prepare;
  std::function<Command(const Path& root)> command;
  /// What a user would do after it failed.
  std::function<Command(const Path& root)> again;
  /// The first thing in which it did not end as the reference, or nothing.
  std::function<std::string(const Path& root, const Path& reference)> difference;
  /// Whether whole paths become part of the result: then only what was made at the same root is
  /// the same in every byte.
  bool keeps_paths = false;
};

const std::vector<Scenario>& scenarios();

/// The run of the scenario `train`: 20 steps, three checkpoints of which two are kept, one
/// evaluation on the way and one at the end.
Command train_command(const std::filesystem::path& root,
                      const std::vector<std::string>& overrides = {});
/// `resume` where there is a run, or the command again.
Command resume_or(const Command& command, const std::filesystem::path& run);

/// Whether a command that met a fault ended as it may: with success, or with one line and code 1 or
/// 2, or killed if that was the fault. The result is what is wrong with it, or nothing.
std::string fault_of_ending(const Ended& ended, bool may_be_killed);

}  // namespace adassl::trust
