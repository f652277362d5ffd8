#include "adassl/images/operations.h"

#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "adassl/core/random.h"
#include "adassl/kernels/simd.h"
#include "support/error_message.h"
#include "support/golden_images.h"

namespace adassl::testing {
namespace {

using ::testing::HasSubstr;
using Planes = std::span<uint8_t>;

const std::map<std::string, std::function<void(Planes, int64_t width, double amount)>>&
operations() {
  static const std::map<std::string, std::function<void(Planes, int64_t, double)>> table = {
      {"brightness", [](Planes p, int64_t, double a) { images::adjust_brightness(p, a); }},
      {"contrast", [](Planes p, int64_t, double a) { images::adjust_contrast(p, a); }},
      {"saturation", [](Planes p, int64_t, double a) { images::adjust_saturation(p, a); }},
      {"hue", [](Planes p, int64_t, double a) { images::adjust_hue(p, a); }},
      {"grey", [](Planes p, int64_t, double) { images::to_grey(p); }},
      {"blur", [](Planes p, int64_t width, double a) { images::blur(p, width, a); }},
      {"solarise", [](Planes p, int64_t, double) { images::solarise(p); }}};
  return table;
}

TEST(Operations, EqualPillowByteForByte) {
  const GoldenImages golden;
  const int64_t width = golden.shape("small").at(2);
  std::map<std::string, int> tried;
  for (const std::string& name : golden.below("operation/")) {
    const std::string operation = name.substr(10, name.find('/', 10) - 10);
    std::vector<uint8_t> planes = golden.bytes("small");
    operations().at(operation)(planes, width, golden.numbers(name).at(0));
    EXPECT_EQ(largest_difference(planes, golden.bytes(name)), 0) << name;
    ++tried[operation];
  }
  EXPECT_EQ(tried.size(), operations().size());
}

/// All 2^24 colours as three planes.
std::vector<uint8_t> all_colours() {
  constexpr size_t kCount = 1 << 24;
  std::vector<uint8_t> out(3 * kCount);
  for (size_t i = 0; i < kCount; ++i) {
    out[i] = static_cast<uint8_t>(i >> 16);
    out[kCount + i] = static_cast<uint8_t>(i >> 8);
    out[2 * kCount + i] = static_cast<uint8_t>(i);
  }
  return out;
}

TEST(Operations, EqualPillowForAllColours) {
  const GoldenImages golden;
  const std::vector<uint8_t> colours = all_colours();
  for (const auto& [operation, amount] :
       std::vector<std::pair<std::string, std::string>>{{"grey", "0"},
                                                        {"hue", "0"},
                                                        {"hue", "0.1"},
                                                        {"hue", "-0.083"},
                                                        {"saturation", "1.37"}}) {
    std::vector<uint8_t> planes = colours;
    operations().at(operation)(planes, 4096, std::stod(amount));
    const auto sum = ::crc32(0, planes.data(), static_cast<uInt>(planes.size()));
    EXPECT_EQ(static_cast<double>(sum), golden.numbers("colours/" + operation + "/" + amount).at(0))
        << operation << " " << amount;
  }
}

TEST(Operations, EveryInstructionSetGivesTheSameBytes) {
  std::vector<uint8_t> noise(3 * 37 * 29);
  random::Sequence draws = random::Stream(5, "noise").at(0);
  for (uint8_t& value : noise) value = static_cast<uint8_t>(draws.bits());
  const auto sets = kernels::instruction_sets();
  for (const auto& [name, operation] : operations()) {
    std::vector<std::vector<uint8_t>> results;
    for (const std::string& set : sets) {
      kernels::use_instruction_set(set);
      results.push_back(noise);
      operation(results.back(), 37, 0.43);
    }
    for (const auto& result : results) EXPECT_EQ(result, results.front()) << name;
  }
  kernels::use_instruction_set(sets.back());
}

TEST(Operations, ABlurOfOnePixelChangesNothing) {
  std::vector<uint8_t> pixel = {10, 200, 255};
  images::blur(pixel, 1, 5);
  EXPECT_EQ(pixel, (std::vector<uint8_t>{10, 200, 255}));
}

TEST(Operations, SolarisingTwiceChangesNothingBelow128) {
  std::vector<uint8_t> planes = {0, 1, 127, 128, 200, 255};
  images::solarise(planes);
  EXPECT_EQ(planes, (std::vector<uint8_t>{0, 1, 127, 127, 55, 0}));
}

TEST(Operations, ImpossibleAmountsAreErrors) {
  std::vector<uint8_t> planes(12);
  EXPECT_THAT(error_of([&] { images::adjust_hue(planes, 0.6); }),
              HasSubstr("[hue] expected a turn from -0.5 to 0.5, got 0.6"));
  EXPECT_THAT(error_of([&] { images::blur(planes, 2, -1); }), HasSubstr("[blur] expected a sigma"));
}

}  // namespace
}  // namespace adassl::testing
