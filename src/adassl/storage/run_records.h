#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/storage/run_directory.h"

namespace adassl::storage {

/// No configuration is larger.
inline constexpr uintmax_t kLargestConfig = 4 << 20;

/// The records of a run as reports want them: evaluations and densities as written, and the curve
/// that metrics.jsonl holds.
std::vector<nlohmann::json> run_records(const RunDirectory& run);

/// What the run's records and checkpoints are marked with: the hash of its config.toml.
std::string hash_of(const RunDirectory& run);

/// Whether a record is the evaluation of the run's last step, made as its own configuration says.
bool is_result(const nlohmann::json& record, const std::string& own_hash);

/// Whether the run's last step was reached, saved and evaluated.
bool is_finished(const RunDirectory& run);

}  // namespace adassl::storage
