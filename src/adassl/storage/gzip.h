#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "adassl/storage/file.h"

namespace adassl::storage {

/// Reads a file sequentially and decompresses it if it is gzip. The first bytes decide that, not
/// the name, because people rename files. Only the requested bytes are decompressed, so that a
/// small compressed file cannot fill the memory. (zlib's own gzread would ignore bytes after the
/// compressed data; here they are an error.)
class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  /// An upper bound on the number of bytes that can be read.
  uint64_t most_bytes() const;
  /// Fills `out` and returns the number of bytes read, which is smaller than its size only at the
  /// end of the data. Error when the compressed bytes are damaged or end early.
  size_t read(std::span<std::byte> out);

 private:
  struct Inflater;  // keeps zlib out of this header
  size_t inflate(std::span<std::byte> out);

  std::string name_;
  InputFile file_;
  uint64_t position_ = 0;  // how much of the file was read
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace adassl::storage
