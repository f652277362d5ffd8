// The kernels of images beside Pillow's formulas, one pixel at a time, on every instruction set.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/random.h"
#include "adassl/images/operations.h"
#include "adassl/images/resize.h"
#include "adassl/kernels/images/colour.h"
#include "adassl/kernels/simd.h"
#include "images/plain.h"

namespace adassl::testing {
namespace {

std::vector<uint8_t> noise(size_t size, uint32_t number = 0) {
  std::vector<uint8_t> out(size);
  random::Sequence draws = random::Stream(7, "noise").at(number);
  for (uint8_t& value : out) value = static_cast<uint8_t>(draws.bits() >> 8);
  return out;
}

kernels::Planes planes_of(std::vector<uint8_t>& values) {
  const size_t third = values.size() / 3;
  const std::span<uint8_t> all(values);
  return {all.subspan(0, third), all.subspan(third, third), all.subspan(2 * third, third)};
}

class EverySet : public ::testing::Test {
 protected:
  template <class Work>
  void on_every_set(const Work& work) {
    for (const std::string& set : kernels::instruction_sets()) {
      SCOPED_TRACE(set);
      kernels::use_instruction_set(set);
      work();
    }
  }
  ~EverySet() override { kernels::use_instruction_set(kernels::instruction_sets().back()); }
};
using ImageKernels = EverySet;

/// All triples of bytes whose first one is `first`.
std::vector<uint8_t> triples(int first) {
  std::vector<uint8_t> out(3 << 16);
  for (size_t i = 0; i < 1 << 16; ++i) {
    out[i] = static_cast<uint8_t>(first);
    out[(1 << 16) + i] = static_cast<uint8_t>(i >> 8);
    out[(2 << 16) + i] = static_cast<uint8_t>(i);
  }
  return out;
}

/// How many of the triples differ from what `expected` says of each.
int64_t differences(const std::vector<uint8_t>& values,
                    const std::vector<plain::Colour>& expected) {
  int64_t out = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) out += values[(c << 16) + i] != expected[i][c];
  }
  return out;
}

TEST_F(ImageKernels, EqualPillowForAllHuesSaturationsAndValues) {
  for (int hue = 0; hue < 256; ++hue) {
    std::vector<plain::Colour> expected;
    for (int i = 0; i < 1 << 16; ++i) expected.push_back(plain::rgb_of_hsv(hue, i >> 8, i & 255));
    on_every_set([&] {
      std::vector<uint8_t> values = triples(hue);
      kernels::rgb_of_hsv(planes_of(values));
      ASSERT_EQ(differences(values, expected), 0) << hue;
    });
  }
}

// All colours are compared with Pillow itself in operations_test.
TEST_F(ImageKernels, TurnTheHueAsPillowDoes) {
  const kernels::ColourStep step{.kind = kernels::ColourStep::Kind::kShiftHue, .shift = 211};
  for (int red = 0; red < 256; red += 15) {
    std::vector<plain::Colour> expected;
    for (int i = 0; i < 1 << 16; ++i) {
      const plain::Colour hsv = plain::hsv_of_rgb(
          {static_cast<uint8_t>(red), static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i)});
      expected.push_back(plain::rgb_of_hsv((hsv[0] + 211) % 256, hsv[1], hsv[2]));
    }
    on_every_set([&] {
      std::vector<uint8_t> values = triples(red);
      kernels::change_colours(planes_of(values), {&step, 1});
      ASSERT_EQ(differences(values, expected), 0) << red;
    });
  }
}

TEST_F(ImageKernels, BlendEveryValueWithEveryBase) {
  on_every_set([] {
    for (const float factor : {0.0F, 0.2F, 0.61F, 1.0F, 1.39F, 1.7F, 11.0F}) {
      for (int base = 0; base < 256; ++base) {
        std::vector<uint8_t> values(3 * 256);
        std::iota(values.begin(), values.end(), 0);
        const kernels::ColourStep step{.factor = factor, .base = static_cast<uint8_t>(base)};
        kernels::change_colours(planes_of(values), {&step, 1});
        for (size_t i = 0; i < values.size(); ++i) {
          ASSERT_EQ(values[i],
                    plain::blended(static_cast<uint8_t>(base), static_cast<uint8_t>(i), factor))
              << i % 256 << " towards " << base << " by " << factor;
        }
      }
    }
  });
}

TEST_F(ImageKernels, BlendPixelsWithTheirOwnGrey) {
  const std::vector<uint8_t> before = noise(3 * 5000);
  const kernels::ColourStep step{.kind = kernels::ColourStep::Kind::kBlendWithGrey,
                                 .factor = 1.37F};
  on_every_set([&] {
    std::vector<uint8_t> after = before;
    kernels::change_colours(planes_of(after), {&step, 1});
    for (size_t i = 0; i < 5000; ++i) {
      const uint8_t grey = plain::grey({before[i], before[5000 + i], before[10000 + i]});
      for (size_t c = 0; c < 3; ++c) {
        ASSERT_EQ(after[5000 * c + i], plain::blended(grey, before[5000 * c + i], 1.37F));
      }
    }
  });
}

TEST_F(ImageKernels, OnePassageEqualsOneAdjustmentAfterAnother) {
  using images::Adjustment;
  std::vector<images::Adjusting> steps = {{Adjustment::kBrightness, 1.3},
                                          {Adjustment::kContrast, 0.7},
                                          {Adjustment::kSaturation, 1.2},
                                          {Adjustment::kHue, -0.07}};
  std::ranges::sort(steps, {}, &images::Adjusting::kind);
  int orders = 0;
  do {
    std::vector<uint8_t> at_once = noise(3 * 37 * 29), one_by_one = at_once;
    images::adjust(at_once, steps);
    for (const images::Adjusting& step : steps) images::adjust(one_by_one, {&step, 1});
    EXPECT_EQ(at_once, one_by_one);
    ++orders;
  } while (std::ranges::next_permutation(steps, {}, &images::Adjusting::kind).found);
  EXPECT_EQ(orders, 24);
}

TEST_F(ImageKernels, BlurAsPillowDoes) {
  struct Case {
    int64_t width, height, whole;
    int passes;
  };
  on_every_set([] {
    for (const Case& c : {Case{64, 64, 0, 3}, Case{64, 64, 1, 3}, Case{1, 1, 2, 3},
                          Case{65, 3, 0, 1}, Case{17, 130, 2, 2}, Case{5, 40, 9, 3}}) {
      std::vector<uint8_t> plane = noise(static_cast<size_t>(c.width * c.height));
      std::vector<uint8_t> expected = plane;
      const uint32_t centre = (1U << 24) / static_cast<uint32_t>(2 * c.whole + 2);
      const uint32_t edge = ((1U << 24) - static_cast<uint32_t>(2 * c.whole + 1) * centre) / 2;
      kernels::box_blur(plane, c.width, {c.whole, centre, edge}, c.passes);
      const auto along = [&](int64_t count, int64_t stride, int64_t lines, int64_t next) {
        for (int64_t l = 0; l < lines; ++l) {
          std::vector<uint8_t> line;
          const auto at = [&](int64_t k) -> uint8_t& {
            return expected[static_cast<size_t>(l * next + k * stride)];
          };
          for (int64_t k = 0; k < count; ++k) line.push_back(at(k));
          for (int p = 0; p < c.passes; ++p) line = plain::blurred(line, c.whole, centre, edge);
          for (int64_t k = 0; k < count; ++k) at(k) = line[static_cast<size_t>(k)];
        }
      };
      along(c.width, 1, c.height, c.width);
      along(c.height, c.width, c.width, 1);
      EXPECT_EQ(plane, expected) << c.width << "x" << c.height << " by " << c.whole;
    }
  });
}

TEST_F(ImageKernels, ResampleAsPillowDoesFromAndToAnySize) {
  random::Sequence draws = random::Stream(9, "sizes").at(0);
  const auto side = [&](uint64_t most) { return static_cast<int64_t>(1 + draws.below(most)); };
  for (uint32_t trial = 0; trial < 60; ++trial) {
    const int64_t width = side(150), height = side(90), to_width = side(140), to_height = side(70);
    storage::Image image = storage::make_image(width, height, 3);
    image.pixels = noise(image.pixels.size(), trial);
    const bool is_cubic = trial % 4 != 0;
    const std::vector<uint8_t> expected = plain::resampled(image, to_width, to_height, is_cubic);
    on_every_set([&] {
      std::vector<uint8_t> out(expected.size());
      images::resize(image,
                     {.box = {0, 0, width, height},
                      .width = to_width,
                      .height = to_height,
                      .window = {0, 0, to_width, to_height},
                      .filter = is_cubic ? images::Filter::kBicubic : images::Filter::kBilinear},
                     out);
      EXPECT_EQ(out, expected) << width << "x" << height << " to " << to_width << "x" << to_height;
    });
  }
}

}  // namespace
}  // namespace adassl::testing
