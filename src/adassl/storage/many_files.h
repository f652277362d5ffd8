#pragma once

#include <filesystem>
#include <string_view>

/// For many small files, each of which would wait for the disk in write_atomically.
namespace adassl::storage {

/// Replaces the file as write_atomically does, but does not wait for the disk. WriteError when that
/// fails.
void write_without_sync(const std::filesystem::path& path, std::string_view bytes);

/// Waits until everything that was written to the file system of `folder` is on the disk.
/// WriteError when that fails.
void sync_file_system(const std::filesystem::path& folder);

}  // namespace adassl::storage
