#pragma once

#include <filesystem>
#include <string>

/// Whether a run that was disturbed ended as the one that was not.
namespace adassl::trust {

std::filesystem::path newest_checkpoint(const std::filesystem::path& run);

/// The first thing in which they differ, or nothing. Compared in every byte: configuration,
/// metrics, the encoder, the newest checkpoint. Of the records all but times; of the page that it
/// is whole.
std::string difference_between_runs(const std::filesystem::path& run,
                                    const std::filesystem::path& reference);
/// Of the records without what depends on time, place and machine.
enum class Repeated { kMayNot, kMay };
std::string difference_between_records(const std::filesystem::path& records,
                                       const std::filesystem::path& reference,
                                       Repeated repeated = Repeated::kMayNot);
std::string fault_of_page(const std::filesystem::path& page);

}  // namespace adassl::trust
