#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace adassl {

/// FNV-1a, 64 bits: names random streams, identifies configurations, guards checkpoints against
/// accidental damage. Not a defence against an adversary.
class Hash {
 public:
  Hash& add(const void* data, size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3ULL;
    return *this;
  }
  Hash& add(std::string_view text) { return add(text.data(), text.size()); }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325ULL;
};

inline uint64_t hash(std::string_view text) { return Hash().add(text).value(); }

}  // namespace adassl
