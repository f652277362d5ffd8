#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "adassl/images/pixels.h"

/// Pillow's image operations as they can be read in its sources, one pixel at a time: what the
/// kernels must equal to the byte.
namespace adassl::testing::plain {

using Colour = std::array<uint8_t, 3>;

inline uint8_t clipped(int64_t value) {
  return static_cast<uint8_t>(std::clamp<int64_t>(value, 0, 255));
}

/// ImageBlend with an alpha outside of [0, 1], which clips.
inline uint8_t blended(uint8_t base, uint8_t value, float factor) {
  const float sum = static_cast<float>(base) +
                    factor * static_cast<float>(static_cast<int>(value) - static_cast<int>(base));
  return sum <= 0 ? 0 : sum >= 255 ? 255 : static_cast<uint8_t>(sum);
}

inline uint8_t grey(Colour c) {
  return static_cast<uint8_t>((19595 * c[0] + 38470 * c[1] + 7471 * c[2] + 0x8000) >> 16);
}

/// hsv2rgb of Convert.c.
inline Colour rgb_of_hsv(int hue, int saturation, int value) {
  if (saturation == 0) return {clipped(value), clipped(value), clipped(value)};
  const double sixths = hue * 6.0 / 255.0;
  const int sector = static_cast<int>(std::floor(sixths));
  const auto rest = static_cast<float>(sixths - sector);
  const auto part = static_cast<float>(saturation / 255.0);
  const auto rounded = [](double x) { return clipped(static_cast<int64_t>(std::round(x))); };
  const uint8_t v = clipped(value);
  const uint8_t p = rounded(value * (1.0 - part));
  const uint8_t q = rounded(value * (1.0 - part * rest));
  const uint8_t t = rounded(value * (1.0 - part * (1.0 - rest)));
  switch (sector % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

/// rgb2hsv of Convert.c.
inline Colour hsv_of_rgb(Colour c) {
  const uint8_t most = std::max({c[0], c[1], c[2]}), least = std::min({c[0], c[1], c[2]});
  if (most == least) return {0, 0, most};
  const auto range = static_cast<float>(most - least);
  const float s = range / static_cast<float>(most);
  const float r = static_cast<float>(most - c[0]) / range;
  const float g = static_cast<float>(most - c[1]) / range;
  const float b = static_cast<float>(most - c[2]) / range;
  float h = 0;
  if (c[0] == most) {
    h = b - g;
  } else if (c[1] == most) {
    h = static_cast<float>(2.0 + r - b);
  } else {
    h = static_cast<float>(4.0 + g - r);
  }
  h = static_cast<float>(std::fmod(h / 6.0 + 1.0, 1.0));
  return {clipped(static_cast<int64_t>(h * 255.0)), clipped(static_cast<int64_t>(s * 255.0)), most};
}

/// One pass of ImagingBoxBlur along a line, with replicated edges.
inline std::vector<uint8_t> blurred(const std::vector<uint8_t>& line, int64_t whole,
                                    uint32_t centre, uint32_t edge) {
  const auto length = static_cast<int64_t>(line.size());
  std::vector<uint8_t> out;
  const auto at = [&](int64_t x) -> uint32_t {
    return line[static_cast<size_t>(std::clamp<int64_t>(x, 0, length - 1))];
  };
  for (int64_t x = 0; x < length; ++x) {
    uint32_t sum = 0;
    for (int64_t k = -whole; k <= whole; ++k) sum += at(x + k);
    const uint32_t far = at(x - whole - 1) + at(x + whole + 1);
    out.push_back(static_cast<uint8_t>((sum * centre + far * edge + (1U << 23)) >> 24));
  }
  return out;
}

inline double weight_of(double x, bool is_cubic) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (!is_cubic) return x < 1 ? 1 - x : 0;
  if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * kA : 0;
}

/// ImagingResampleHorizontal_8bpc for one line.
inline std::vector<uint8_t> resampled(const std::vector<uint8_t>& line, int64_t outputs,
                                      bool is_cubic) {
  const auto inputs = static_cast<int64_t>(line.size());
  const double scale = static_cast<double>(inputs) / static_cast<double>(outputs);
  const double stretch = std::max(scale, 1.0);
  const double support = (is_cubic ? 2 : 1) * stretch;
  std::vector<uint8_t> out;
  for (int64_t i = 0; i < outputs; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const int64_t begin = std::max<int64_t>(0, static_cast<int64_t>(centre - support + 0.5));
    const int64_t end = std::min(inputs, static_cast<int64_t>(centre + support + 0.5));
    std::vector<double> weights;
    double total = 0;
    for (int64_t k = begin; k < end; ++k) {
      weights.push_back(
          weight_of((static_cast<double>(k) - centre + 0.5) * (1.0 / stretch), is_cubic));
      total += weights.back();
    }
    int64_t sum = 1 << 21;
    for (int64_t k = begin; k < end; ++k) {
      const double weight = weights[static_cast<size_t>(k - begin)] / total;
      const auto whole = static_cast<int64_t>(weight * (1 << 22) + (weight < 0 ? -0.5 : 0.5));
      sum += whole * line[static_cast<size_t>(k)];
    }
    out.push_back(clipped(sum >> 22));
  }
  return out;
}

/// A whole image: rows first, then columns, with bytes in between. [3, height, width]
inline std::vector<uint8_t> resampled(const images::Pixels& image, int64_t width, int64_t height,
                                      bool is_cubic) {
  std::vector<uint8_t> out;
  for (int64_t c = 0; c < 3; ++c) {
    std::vector<std::vector<uint8_t>> rows;
    for (int64_t y = 0; y < image.height; ++y) {
      std::vector<uint8_t> line;
      for (int64_t x = 0; x < image.width; ++x) {
        line.push_back(image.bytes[static_cast<size_t>(3 * (y * image.width + x) + c)]);
      }
      rows.push_back(resampled(line, width, is_cubic));
    }
    const size_t begin = out.size();
    out.resize(begin + static_cast<size_t>(width * height));
    for (size_t x = 0; x < static_cast<size_t>(width); ++x) {
      std::vector<uint8_t> line;
      for (const auto& row : rows) line.push_back(row[x]);
      const std::vector<uint8_t> column = resampled(line, height, is_cubic);
      for (size_t y = 0; y < column.size(); ++y) {
        out[begin + y * static_cast<size_t>(width) + x] = column[y];
      }
    }
  }
  return out;
}

}  // namespace adassl::testing::plain
