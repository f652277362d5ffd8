#pragma once

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/passes.h"

namespace adassl::kernels {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;
using HalfNumbers = std::vector<Bf16>;

inline double number(Bf16 half) { return std::bit_cast<float>(uint32_t{half} << 16); }

inline HalfNumbers rounded(const Floats& from) {
  HalfNumbers out(from.size());
  round_to_bf16(static_cast<int64_t>(from.size()), from.data(), out.data());
  return out;
}

inline Floats drawn(const std::string& purpose, uint64_t seed, int64_t count) {
  Floats out(static_cast<size_t>(count));
  auto draws = random::Stream(seed, purpose).at(0);
  for (float& x : out) x = static_cast<float>(draws.normal());
  return out;
}

inline std::string name_of(const ConvolutionSizes& s) {
  std::string out;
  for (const int64_t number : {s.images, s.height, s.width, s.in, s.out, s.kernel[0], s.kernel[1],
                               s.stride[0], s.stride[1], s.padding[0], s.padding[1]}) {
    out += (out.empty() ? "" : " ") + std::to_string(number);
  }
  return out;
}

/// Numbers for a convolution, and what comes of them by the definition, in float64.
struct ConvolutionCase {
  explicit ConvolutionCase(const ConvolutionSizes& of, uint64_t seed = 1)
      : sizes(of),
        x(rounded(drawn("x", seed, of.inputs() * of.in))),
        dy(rounded(drawn("dy", seed, of.outputs() * of.out))),
        weight(drawn("weight", seed, of.out * of.in * of.taps())) {
    const HalfNumbers weights = rounded(weight);
    y.resize(dy.size());
    dx.resize(x.size());
    dweight.resize(weight.size());
    for (int64_t image = 0; image < sizes.images; ++image) {
      for (int64_t oy = 0; oy < sizes.out_height(); ++oy) {
        for (int64_t ox = 0; ox < sizes.out_width(); ++ox) add_pixel(image, oy, ox, weights);
      }
    }
  }

  ConvolutionSizes sizes;
  HalfNumbers x, dy;
  Floats weight;
  Doubles y, dx, dweight;

 private:
  void add_pixel(int64_t image, int64_t oy, int64_t ox, const HalfNumbers& weights) {
    const auto to = static_cast<size_t>(
        ((image * sizes.out_height() + oy) * sizes.out_width() + ox) * sizes.out);
    for (int64_t tap = 0; tap < sizes.taps(); ++tap) {
      const int64_t iy = oy * sizes.stride[0] - sizes.padding[0] + tap / sizes.kernel[1];
      const int64_t ix = ox * sizes.stride[1] - sizes.padding[1] + tap % sizes.kernel[1];
      if (iy < 0 || iy >= sizes.height || ix < 0 || ix >= sizes.width) continue;
      const auto from =
          static_cast<size_t>(((image * sizes.height + iy) * sizes.width + ix) * sizes.in);
      for (size_t o = 0; o < static_cast<size_t>(sizes.out); ++o) {
        for (size_t i = 0; i < static_cast<size_t>(sizes.in); ++i) {
          const size_t w =
              (o * static_cast<size_t>(sizes.in) + i) * static_cast<size_t>(sizes.taps()) +
              static_cast<size_t>(tap);
          y[to + o] += number(x[from + i]) * number(weights[w]);
          dx[from + i] += number(dy[to + o]) * number(weights[w]);
          dweight[w] += number(dy[to + o]) * number(x[from + i]);
        }
      }
    }
  }
};

}  // namespace adassl::kernels
