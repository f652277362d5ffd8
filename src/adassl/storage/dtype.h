#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace adassl::storage {

/// Element types of stored tensors, in the order by which the safetensors package sorts a file.
enum class Dtype { kBool, kU8, kI8, kI16, kU16, kF16, kBF16, kI32, kU32, kF32, kF64, kI64 };

/// Bytes of one element.
size_t size_of(Dtype dtype);

/// "F32", as safetensors writes it.
std::string_view name_of(Dtype dtype);

std::optional<Dtype> dtype_named(std::string_view name);

/// Bytes of a whole tensor; nullopt when a dimension is negative or the product leaves int64_t.
/// Overflow counts even if another dimension is zero, because strides are computed from all of
/// them.
std::optional<uint64_t> byte_count(Dtype dtype, std::span<const int64_t> shape);

}  // namespace adassl::storage
