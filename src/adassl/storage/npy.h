#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "adassl/storage/dtype.h"

/// One array in numpy's .npy format: float16, float32 and float64, int8 to int64, uint8 to uint32
/// and bool, little endian, in C order. Pickled objects, records and Fortran order of more than one
/// dimension are refused.
namespace adassl::storage {

struct NpyArray {
  std::vector<int64_t> shape;
  Dtype dtype = Dtype::kF32;
  std::vector<std::byte> bytes;
};

/// Reads versions 1 and 2 of the format.
NpyArray read_npy(const std::filesystem::path& path);

/// The same for a file that is in memory already. `where` names it in messages.
NpyArray parse_npy(std::vector<std::byte> file, const std::string& where);

/// What stands before the data of such a file. Error for a type that has no name in this format.
std::string npy_header(Dtype dtype, const std::vector<int64_t>& shape, const std::string& where);

/// Writes version 1, byte for byte as numpy.save does. Replaces the file atomically.
void write_npy(const std::filesystem::path& path, const NpyArray& array);
void write_npy(const std::filesystem::path& path, Dtype dtype, const std::vector<int64_t>& shape,
               std::span<const std::byte> bytes);

}  // namespace adassl::storage
