#include "adassl/storage/dtype.h"

namespace adassl::storage {
namespace {

struct Kind {
  std::string_view name;
  size_t size;
};

constexpr Kind kKinds[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"U16", 2}, {"F16", 2},
                           {"BF16", 2}, {"I32", 4}, {"U32", 4}, {"F32", 4}, {"F64", 8}, {"I64", 8}};

}  // namespace

size_t size_of(Dtype dtype) { return kKinds[static_cast<size_t>(dtype)].size; }

std::string_view name_of(Dtype dtype) { return kKinds[static_cast<size_t>(dtype)].name; }

std::optional<Dtype> dtype_named(std::string_view name) {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

std::optional<uint64_t> byte_count(Dtype dtype, std::span<const int64_t> shape) {
  auto product = static_cast<int64_t>(size_of(dtype));
  bool empty = false;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    if (dimension == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, dimension, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : static_cast<uint64_t>(product);
}

}  // namespace adassl::storage
