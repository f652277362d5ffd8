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

/// Plain or gzip. Error unless it has `rank` dimensions and exactly the bytes that they ask for;
/// what would be larger than a GiB is refused before memory is taken for it.
IdxArray read_idx(const std::filesystem::path& path, size_t rank);

/// The plain file's first bytes; the values follow them.
std::string idx_header(const std::vector<int64_t>& shape);

/// A plain file. Replaces it atomically.
void write_idx(const std::filesystem::path& path, const IdxArray& array);

}  // namespace adassl::storage
