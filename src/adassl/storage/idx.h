#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Arrays of unsigned bytes in the IDX format of the MNIST files: two zeros, the type 8, the number
/// of dimensions, each dimension as four bytes (the highest first), then the data.
namespace adassl::storage {

struct IdxArray {
  std::vector<int64_t> shape;
  std::vector<uint8_t> values;
};

/// Reads a plain or gzip-compressed file. Error unless it has `rank` dimensions and exactly as many
/// bytes as they require. More than 1 GiB of data is refused before memory is allocated.
IdxArray read_idx(const std::filesystem::path& path, size_t rank);

/// The header of an uncompressed file; the values follow it.
std::string idx_header(const std::vector<int64_t>& shape);

/// Writes an uncompressed file. Replaces an old one atomically.
void write_idx(const std::filesystem::path& path, const IdxArray& array);

}  // namespace adassl::storage
