#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/kernels/convolution/machine.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"
#include "kernels/convolution_case.h"
#include "kernels/emulated_tiles.h"
#include "kernels/trapped_tiles.h"

namespace adassl::kernels {

/// Every unit of this machine, and tiles, whether it has them or not: by emulated tiles, and by the
/// code for the machine's own, whose instructions are emulated one by one.
inline std::vector<std::string> units() {
  std::vector<std::string> out = instruction_sets();
  out.emplace_back("tiles");
#if defined(__x86_64__)
  if (!machine_has_amx()) out.emplace_back("amx_trapped");
#endif
  return out;
}

class OnEveryUnit : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "tiles") {
      use_unit(&emulated_tiles());
#if defined(__x86_64__)
    } else if (GetParam() == "amx_trapped") {
      trap_ = std::make_unique<TrappedTiles>();
      use_unit(&amx_unit());
#endif
    } else {
      use_instruction_set(GetParam());
    }
  }
  void TearDown() override {
    use_unit(nullptr);
    use_instruction_set(before_);
    set_threads(1);
#if defined(__x86_64__)
    trap_.reset();
#endif
  }

 private:
#if defined(__x86_64__)
  std::unique_ptr<TrappedTiles> trap_;
#endif
  std::string before_ = instruction_set();
};
/// To 1e-2 of the largest number in each place, and 2e-3 in norm; unless bfloat16 has nothing
/// nearer, as may be with one number.
template <class Numbers>
void expect_near(const Numbers& got, const Doubles& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  double largest = 0, norm = 0, distance = 0, worst = 0, nearest = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = 0;
    if constexpr (std::is_same_v<Numbers, HalfNumbers>) {
      value = number(got[i]);
    } else {
      value = got[i];
    }
    const double off = std::abs(value - expected[i]);
    ASSERT_TRUE(std::isfinite(value)) << what;
    largest = std::max(largest, std::abs(expected[i]));
    worst = std::max(worst, off);
    norm += expected[i] * expected[i];
    distance += off * off;
    if constexpr (std::is_same_v<Numbers, HalfNumbers>) {
      const double rest = number(rounded({static_cast<float>(expected[i])})[0]) - expected[i];
      nearest += rest * rest;
    }
  }
  EXPECT_LE(worst, 1e-2 * largest) << what;
  EXPECT_LE(std::sqrt(distance), std::max(2e-3 * std::sqrt(norm), 1.001 * std::sqrt(nearest)))
      << what;
}

}  // namespace adassl::kernels
