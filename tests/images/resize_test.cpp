#include "adassl/images/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/random.h"
#include "adassl/kernels/simd.h"
#include "support/error_message.h"
#include "support/golden_images.h"

namespace adassl::testing {
namespace {

using ::testing::HasSubstr;

std::vector<uint8_t> seen(const images::Pixels& image, const images::Resize& how) {
  std::vector<uint8_t> out(static_cast<size_t>(3 * how.window.width * how.window.height));
  images::resize(image, how, out);
  return out;
}

storage::Image noise(int64_t width, int64_t height) {
  storage::Image out = storage::make_image(width, height, 3);
  random::Sequence draws = random::Stream(3, "noise").at(0);
  for (uint8_t& value : out.pixels) value = static_cast<uint8_t>(draws.bits());
  return out;
}

TEST(Resize, EqualsPillowByteForByte) {
  const GoldenImages golden;
  const storage::Image image = golden.image("image");
  const auto names = golden.below("resize/");
  ASSERT_GE(names.size(), 9U);
  for (const std::string& name : names) {
    const auto n = golden.numbers(name);
    const auto at = [&](size_t i) { return static_cast<int64_t>(n.at(i)); };
    const images::Resize how{
        .box = {at(1), at(2), at(3), at(4)},
        .width = at(5),
        .height = at(6),
        .window = {0, 0, at(5), at(6)},
        .filter = n[0] != 0 ? images::Filter::kBicubic : images::Filter::kBilinear};
    EXPECT_EQ(largest_difference(seen(image, how), golden.bytes(name)), 0) << name;
  }
}

TEST(Resize, CentreEqualsTorchvisions) {
  const GoldenImages golden;
  const storage::Image image = golden.image("image");
  for (const std::string& name : golden.below("centre/")) {
    const auto n = golden.numbers(name);
    const auto how = images::centre_square(image.width, image.height, static_cast<int64_t>(n[0]),
                                           static_cast<int64_t>(n[1]));
    EXPECT_EQ(largest_difference(seen(image, how), golden.bytes(name)), 0) << name;
  }
}

TEST(Resize, AConstantImageStaysConstant) {
  storage::Image image = storage::make_image(37, 53, 3);
  std::ranges::fill(image.pixels, uint8_t{201});
  for (const int64_t side : {1, 7, 64, 100}) {
    for (const uint8_t value : seen(image, images::to_square({0, 0, 37, 53}, side))) {
      ASSERT_EQ(value, 201);
    }
  }
}

TEST(Resize, MirroredIsTheMirrorImage) {
  const storage::Image image = noise(40, 30);
  images::Resize how = images::to_square({3, 4, 31, 23}, 17);
  const auto plain = seen(image, how);
  how.mirrored = true;
  auto mirrored = seen(image, how);
  for (size_t row = 0; row < 3 * 17; ++row) {
    std::reverse(mirrored.begin() + static_cast<ptrdiff_t>(17 * row),
                 mirrored.begin() + static_cast<ptrdiff_t>(17 * row + 17));
  }
  EXPECT_EQ(plain, mirrored);
}

TEST(Resize, EveryInstructionSetGivesTheSameBytes) {
  const storage::Image image = noise(101, 83);
  const auto sets = kernels::instruction_sets();
  std::vector<std::vector<uint8_t>> results;
  for (const std::string& set : sets) {
    kernels::use_instruction_set(set);
    results.push_back(seen(image, images::to_square({5, 7, 90, 70}, 33)));
  }
  kernels::use_instruction_set(sets.back());
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(Resize, BoxesOutsideTheImageAreErrors) {
  const storage::Image image = noise(10, 8);
  EXPECT_THAT(error_of([&] {
                seen(image, images::to_square({5, 0, 6, 8}, 4));
              }),
              HasSubstr("[resize] expected a box inside 10x8"));
  EXPECT_THAT(error_of([&] {
                std::vector<uint8_t> small(10);
                images::resize(image, images::to_square({0, 0, 10, 8}, 4), small);
              }),
              HasSubstr("expected room for 4x4 RGB pixels, got 10 bytes"));
  storage::Image grey = storage::make_image(4, 4, 1);
  EXPECT_THAT(error_of([&] {
                seen(grey, images::to_square({0, 0, 4, 4}, 4));
              }),
              HasSubstr("expected 48 bytes for 4x4 RGB pixels, got 16"));
}

}  // namespace
}  // namespace adassl::testing
