#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "adassl/core/error.h"

/// A stand-in for the teapot, which is not in the repository: an ellipsoid with a thin spout at
/// one side and a short handle at the other, in the position and with the extents of Newell's.
namespace adassl::testing {

inline std::string small_pot() {
  constexpr int kRings = 12;
  constexpr int kAround = 24;
  std::string out = "# a pot\n";
  for (int ring = 0; ring <= kRings; ++ring) {
    const double a = std::numbers::pi * ring / kRings;
    for (int k = 0; k < kAround; ++k) {
      const double b = 2 * std::numbers::pi * k / kAround;
      out += join("v ", 2 * std::sin(a) * std::cos(b), " ", 1.575 * (1 - std::cos(a)), " ",
                  2 * std::sin(a) * std::sin(b), "\n");
    }
  }
  const auto number = [](int ring, int k) { return ring * kAround + k % kAround + 1; };
  for (int ring = 0; ring < kRings; ++ring) {
    for (int k = 0; k < kAround; ++k) {  // outwards, as y points upwards
      out += join("f ", number(ring, k), " ", number(ring + 1, k), " ", number(ring + 1, k + 1),
                  " ", number(ring, k + 1), "\n");
    }
  }
  out += "v 1.5 1.2 0.4\nv 1.5 1.2 -0.4\nv 1.5 2 0\nv 3.434 2.4 0\n";
  out += "f -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n";
  out += "v -1.5 1.2 0.3\nv -1.5 1.2 -0.3\nv -1.5 2 0\nv -3 1.8 0\n";
  return out + "f -4 -1 -3\nf -3 -1 -2\nf -2 -1 -4\n";
}

}  // namespace adassl::testing
