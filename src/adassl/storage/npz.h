#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "adassl/storage/file.h"
#include "adassl/storage/npy.h"

namespace adassl::storage {

/// Several arrays in one file, as numpy.savez and numpy.savez_compressed write them: a ZIP archive
/// of .npy files. Only what these functions write is accepted: entries that are stored or deflated,
/// without encryption, below 4 GiB each. An entry's declared size is checked against its compressed
/// size and against the memory before it is decompressed, and its checksum afterwards.
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& path);

  /// Without ".npy", in sorted order.
  std::vector<std::string> names() const;
  NpyArray read(const std::string& name) const;

 private:
  struct Entry {
    uint64_t header = 0;      // the offset of the local header
    uint64_t compressed = 0;  // bytes
    uint64_t size = 0;        // bytes after decompression
    uint32_t crc = 0;
    bool deflated = false;
  };
  void read_directory();
  void add_entry(std::string_view record, size_t name_size);
  uint64_t data_begin(const Entry& entry) const;

  std::string name_;
  InputFile file_;
  std::map<std::string, Entry> entries_;
};

}  // namespace adassl::storage
