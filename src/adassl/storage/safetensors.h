#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adassl/storage/dtype.h"
#include "adassl/storage/safetensors_header.h"

/// Named tensors in one file, in the safetensors format: 8 bytes of little-endian header length, a
/// JSON header, the data. We write the bytes that the safetensors package writes for the same
/// tensors, and refuse invalid files as it does, before memory for the data is allocated.
namespace adassl::storage {

/// A tensor that does not own its bytes.
struct TensorView {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};

/// What stands before the data of a file with this one tensor.
std::string safetensors_header(const std::string& name, Dtype dtype,
                               const std::vector<int64_t>& shape,
                               const std::map<std::string, std::string>& metadata);

/// Replaces the file atomically.
void write_safetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata);

/// A file that was read whole. Its views live as long as it does (moving it keeps them alive).
class Safetensors {
 public:
  static Safetensors read(const std::filesystem::path& path);

  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  /// In sorted order.
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return header_.tensors.contains(name); }
  /// Error when there is no tensor of this name. The bytes may be unaligned: copy them, do not cast
  /// the pointer.
  TensorView at(const std::string& name) const;

 private:
  std::string where_;
  SafetensorsHeader header_;
  std::unique_ptr<std::byte[]> data_;
};

}  // namespace adassl::storage
