#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/data/samples/folder.h"

namespace adassl::data {

/// What is known about a file with pictures after it was decoded once.
struct FileRecord {
  uint64_t name = 0;  // checksum of its name
  FileStamp stamp;
  uint64_t content = 0;  // checksum of its bytes, or of its frames
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t verdict = 0;   // kUnknown, kGood, or 2 + the number of a reason
  uint32_t reserved = 0;  // no padding: records are written as they are
};

inline constexpr uint32_t kUnknown = 0;
inline constexpr uint32_t kGood = 1;

/// With this every index begins, whatever its version.
inline constexpr std::string_view kIndexBegin = "adassl index ";

/// The records of all files of a folder, kept in a file so that only new and changed ones have to
/// be decoded when a program starts again.
struct FileIndex {
  std::vector<FileRecord> records;
  std::vector<std::string> details;  // of each file, where a record is not enough; or none
  std::vector<std::string> reasons;  // why files are unusable

  uint32_t verdict_for(const std::string& reason);
};

/// An index that cannot be read, is damaged or of another version is as good as none: empty.
FileIndex read_index(const std::filesystem::path& path);

/// A failure to write is ignored: the next start is only slower. Returns whether it was written.
bool write_index(const std::filesystem::path& path, const FileIndex& index);

/// Where the index of a folder is kept if the user does not say: in the cache folder of the user,
/// under a name made from the folder's. Empty if there is no such folder.
std::filesystem::path default_index(const std::filesystem::path& folder);

}  // namespace adassl::data
