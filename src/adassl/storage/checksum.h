#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adassl/storage/file.h"

namespace adassl::storage {

/// XXH3 with 128 bits over a stream of bytes: tells whether a file is still what was written. It
/// guards against accidents, not against an adversary.
class Checksum {
 public:
  Checksum();
  Checksum(const Checksum& other) : Checksum() { *this = other; }
  Checksum& operator=(const Checksum& other);

  Checksum& add(std::span<const std::byte> bytes);
  Checksum& add(std::string_view text) { return add(std::as_bytes(std::span(text))); }
  /// The text and its length, so that ("ab", "c") and ("a", "bc") differ.
  Checksum& add_field(std::string_view text);
  /// The checksum of all bytes so far, as 32 hexadecimal digits; more bytes may be added later.
  std::string hex() const;

 private:
  std::shared_ptr<void> state_;  // an XXH3_state_t; copies get their own
};

/// XXH3 with 64 bits of one block: for very many checksums, and to order names at random.
uint64_t short_sum(std::span<const std::byte> bytes, uint64_t seed = 0);
inline uint64_t short_sum(std::string_view text, uint64_t seed = 0) {
  return short_sum(std::as_bytes(std::span(text)), seed);
}

/// The checksum of the first `bytes` bytes of a file, in constant memory.
Checksum sum_of(const InputFile& file, uint64_t bytes);

}  // namespace adassl::storage
