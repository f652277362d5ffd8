#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

#include "adassl/images/cache.h"
#include "adassl/storage/checksum.h"

/// The bytes of a cache file, which cache.cpp reads and build_cache.cpp writes. Numbers are
/// little-endian.
namespace adassl::images {

static_assert(std::endian::native == std::endian::little, "caches are read as they are stored");

struct CacheHeader {
  char magic[8];
  uint32_t version;
  uint32_t shorter;
  uint64_t count;
  uint64_t contents;  // checksum of CacheKey::contents
  uint64_t bytes;     // of the whole file; 0 while it is being built
  uint64_t index_sum;
  uint64_t header_sum;  // of all above
};

/// An absent image has no width. One that is not stored yet has the offset 0.
struct CacheEntry {
  uint64_t offset;
  uint32_t width;
  uint32_t height;
  uint64_t sum;

  uint64_t size() const { return uint64_t{3} * width * height; }
};

static_assert(sizeof(CacheHeader) == 56 && sizeof(CacheEntry) == 24);

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span(&value, 1));
}

inline uint64_t sum_of(const CacheHeader& header) {
  return storage::short_sum(bytes_of(header).first(sizeof header - sizeof header.header_sum));
}

/// The header of an unfinished cache.
CacheHeader header_of(const CacheKey& key);

/// Whether the pixels lie inside the file, after its index.
bool is_inside(const CacheEntry& entry, uint64_t count, uint64_t file_bytes);

}  // namespace adassl::images
