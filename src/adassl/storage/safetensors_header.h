#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/storage/dtype.h"

/// The JSON header of a safetensors file:
///   {"__metadata__":{"key":"text"},"name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}
namespace adassl::storage {

struct TensorEntry {
  Dtype dtype = Dtype::kF32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;  // in bytes from the start of the data
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorEntry> tensors;
};

/// Parses and checks everything: afterwards each tensor lies within the `data_bytes` bytes of data,
/// has the size that its type and shape ask for, and all together they fill the data without holes.
/// `where` names the file in messages.
SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& where);

/// The text with its control characters replaced, cut when long: for messages about hostile files.
std::string printable(std::string_view text);

}  // namespace adassl::storage
