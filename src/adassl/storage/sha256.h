#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace adassl::storage {

/// SHA-256 (FIPS 180-4): verifies that a downloaded file is the expected one.
class Sha256 {
 public:
  Sha256& add(std::string_view bytes);
  /// 64 hexadecimal digits. Nothing can be added afterwards.
  std::string hex();

 private:
  void mix(const unsigned char* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  uint64_t length_ = 0;  // in bytes
};

}  // namespace adassl::storage
