#pragma once

#include <string>

#include "adassl/records/record.h"
#include "adassl/storage/run_directory.h"

namespace adassl::records {

/// The maximum size of a configuration file, in bytes.
inline constexpr uintmax_t kLargestConfig = 4 << 20;

/// The hash of the run's config.toml, which marks its records and checkpoints.
std::string hash_of(const storage::RunDirectory& run);

/// Reads all records of records.jsonl. Lines that are no records are skipped.
Records read_records(const storage::RunDirectory& run);

/// The same, and the curve from metrics.jsonl with the descriptions of its terms.
Records run_records(const storage::RunDirectory& run);

/// Whether the run's last step was reached, saved and evaluated.
bool is_finished(const storage::RunDirectory& run);

/// Reads describe.json, which describes the terms in metrics.jsonl from the first step on. Returns
/// no descriptions if the file is missing or cannot be read: then a term's name is its label.
Descriptions read_descriptions(const std::filesystem::path& path);
/// WriteError when that fails; then the old file stays.
void write_descriptions(const std::filesystem::path& path, const Descriptions& descriptions);

}  // namespace adassl::records
