#pragma once

#include <string>
#include <string_view>

#include "adassl/core/random.h"

namespace adassl::testing {

/// The valid file with one to four small damages. The same draws damage it in the same way.
inline std::string damaged(std::string bytes, random::Sequence draws) {
  constexpr std::string_view kTokens[] = {"-1",
                                          "0",
                                          "18446744073709551615",
                                          "9223372036854775807",
                                          "null",
                                          "[",
                                          "]",
                                          "{",
                                          "}",
                                          ",",
                                          "\"",
                                          "1e99",
                                          "'",
                                          "(",
                                          "\xff",
                                          "4611686018427387904"};
  const uint64_t damages = 1 + draws.below(4);
  for (uint64_t i = 0; i < damages; ++i) {
    const size_t at = draws.below(bytes.size() + 1);
    switch (draws.below(6)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(draws.below(256));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << draws.below(8)));
        break;
      case 2:
        bytes.insert(at, kTokens[draws.below(std::size(kTokens))]);
        break;
      case 3:
        bytes.erase(at, 1 + draws.below(8));
        break;
      case 4:
        bytes.insert(at, bytes.substr(draws.below(bytes.size() + 1), draws.below(40)));
        break;
      default:
        if (draws.bernoulli(0.2)) bytes.resize(at);
        break;
    }
  }
  return bytes;
}

}  // namespace adassl::testing
