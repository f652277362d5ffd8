#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "adassl/storage/file.h"

namespace adassl::storage {

/// Reads a file from front to end, decompressing on the way where it is gzip. That is found by the
/// first bytes, not by the name: people rename files. Nothing is decompressed but what is asked
/// for, so a file that claims to be small cannot fill the memory. (zlib's own gzread would ignore
/// whatever follows the compressed bytes; here it is an error.)
class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  /// No more than this can come out, however well it was compressed.
  uint64_t most_bytes() const;
  /// Fills `out` as far as there are bytes; how many there were. Error when the compressed bytes
  /// are damaged or end early.
  size_t read(std::span<std::byte> out);

 private:
  struct Inflater;  // keeps zlib out of this header
  size_t inflate(std::span<std::byte> out);

  std::string name_;
  InputFile file_;
  uint64_t position_ = 0;  // of what was read of the file
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace adassl::storage
