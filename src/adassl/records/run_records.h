#pragma once

#include <string>

#include "adassl/records/record.h"
#include "adassl/storage/run_directory.h"

namespace adassl::records {

/// No configuration is larger.
inline constexpr uintmax_t kLargestConfig = 4 << 20;

/// What the run's records and checkpoints are marked with: the hash of its config.toml.
std::string hash_of(const storage::RunDirectory& run);

/// All that records.jsonl holds. Lines that are no records are skipped.
Records read_records(const storage::RunDirectory& run);

/// The same, and the curve that metrics.jsonl holds, with the descriptions of its terms.
Records run_records(const storage::RunDirectory& run);

/// Whether the run's last step was reached, saved and evaluated.
bool is_finished(const storage::RunDirectory& run);

/// describe.json: what the terms in metrics.jsonl are, known from the first step on. Nothing where
/// it is missing or cannot be read: then a term's name is its label.
Descriptions read_descriptions(const std::filesystem::path& path);
/// WriteError when that fails; the old file stays then.
void write_descriptions(const std::filesystem::path& path, const Descriptions& descriptions);

}  // namespace adassl::records
