#include <algorithm>

#include "adassl/kernels/convolution/common.h"
#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/plane.h"

namespace adassl::kernels {
namespace {

/// The sums run over pixels, so both operands lie in pairs of pixels: inputs once for each of the
/// kernel's columns, since a pair begins where the column does.
struct Layout {
  Layout(const Unit& unit, const InputView& view, int64_t out)
      : pairs(pairs_for(unit, view.columns)),
        channels(padded_to(view.channels, 2 * unit.rows)),
        blocks((out + kColumns - 1) / kColumns),
        left_row(2 * pairs * channels),
        left_image(view.kernel[1] * view.plane.rows * left_row),
        right_row(2 * pairs * kColumns),
        right_image(view.rows * right_row),
        sums(view.taps() * channels * blocks * kColumns) {}

  int64_t pairs;  // of a row
  int64_t channels;
  int64_t blocks;                  // of outputs
  int64_t left_row, left_image;    // inputs
  int64_t right_row, right_image;  // the outputs' gradient, of one block
  int64_t sums;                    // [tap][channel][out]
};

/// Images whose operands are in the cache, the one that threads share, at the same time.
int64_t chunk_of(int64_t images, const Layout& layout) {
  constexpr int64_t kBytes = 2 << 20;
  const int64_t bytes = 2 * (layout.left_image + layout.blocks * layout.right_image);
  return std::clamp<int64_t>(kBytes / bytes, 1, images);
}

constexpr int64_t kBehind = 16;  // numbers that pairing may read, and drops

void add_tile(const float* c, int64_t rows, float* to, int64_t stride) {
  for (int64_t m = 0; m < rows; ++m) {
    for (int64_t n = 0; n < kColumns; ++n) to[m * stride + n] += c[m * kColumns + n];
  }
}

}  // namespace

void weight_gradient(const ConvolutionSizes& given, const Normed& x, const NormedGradient& dy,
                     float* dweight) {
  const ConvolutionSizes sizes = checked(given);
  const Unit& unit = kernels::unit();
  const InputView view = input_view(unit, sizes);
  const Layout layout(unit, view, sizes.out);
  const OutputGradient gradient(sizes, dy);
  const int64_t pixels = view.rows * view.columns;
  const int64_t chunk = chunk_of(sizes.images, layout);
  static thread_local Halves left_buffer, right_buffer;
  static thread_local Buffer sum_buffer;
  left_buffer.resize(chunk * layout.left_image);
  right_buffer.resize(layout.blocks * chunk * layout.right_image);
  sum_buffer.resize(layout.sums);
  Bf16* const left = left_buffer.data();
  Bf16* const right = right_buffer.data();
  float* const sums = sum_buffer.data();
  std::fill_n(sums, layout.sums, 0.0F);

  const Pairing of_inputs{view.columns,  view.stride[1] * view.plane.depth,
                          view.channels, layout.channels,
                          layout.pairs,  unit.pairs_adjoin};
  const int64_t from_row = unit.pairs_adjoin ? 2 * layout.pairs : 2;
  const int64_t from_pair = unit.pairs_adjoin ? 2 : 2 * layout.channels;
  const int64_t tiles = layout.channels / (2 * unit.rows);  // of a tap
  for (int64_t first = 0; first < sizes.images; first += chunk) {
    const int64_t images = std::min(chunk, sizes.images - first);
    parallel_for(images, [&](int64_t i) {
      static thread_local Halves inputs, slopes;
      inputs.resize(view.plane.size() + kBehind);
      slopes.resize(pixels * sizes.out + kBehind);
      fill_input(sizes, view, x, first + i, inputs.data());
      gradient.fill((first + i) * pixels, pixels, sizes.out, slopes.data());
      Bf16* to = left + i * layout.left_image;
      for (int64_t kx = 0; kx < view.kernel[1]; ++kx) {
        for (int64_t row = 0; row < view.plane.rows; ++row, to += layout.left_row) {
          pair_pixels(of_inputs,
                      inputs.data() + row * view.plane.row_size() + kx * view.plane.depth, to);
        }
      }
      for (int64_t block = 0; block < layout.blocks; ++block) {
        const int64_t column = block * kColumns;
        const Pairing of_slopes{view.columns, sizes.out,    std::min(kColumns, sizes.out - column),
                                kColumns,     layout.pairs, false};
        to = right + (block * chunk + i) * layout.right_image;
        for (int64_t row = 0; row < view.rows; ++row, to += layout.right_row) {
          pair_pixels(of_slopes, slopes.data() + row * view.columns * sizes.out + column, to);
        }
      }
    });

    parallel_for(view.taps() * tiles, [&](int64_t task) {
      static thread_local std::vector<Tap> rows;
      const int64_t tap = task / tiles;
      const int64_t channel = task % tiles * 2 * unit.rows;
      const int64_t ky = tap / view.kernel[1];
      const int64_t kx = tap % view.kernel[1];
      rows.clear();
      for (int64_t i = 0; i < images; ++i) {
        for (int64_t row = 0; row < view.rows; ++row) {
          const int64_t input = row * view.stride[0] + ky;
          const bool inside = input >= view.plane.top && input < view.plane.rows - view.plane.top;
          if (!inside) continue;
          rows.push_back({i * layout.left_image + (kx * view.plane.rows + input) * layout.left_row,
                          i * layout.right_image + row * layout.right_row});
        }
      }
      const Product product{unit.rows, from_row, from_pair, layout.pairs, rows};
      const Bf16* a = left + channel * from_row;
      float* to = sums + (tap * layout.channels + channel) * layout.blocks * kColumns;
      unit.begin(unit.rows, layout.pairs);
      for (int64_t block = 0; block < layout.blocks; ++block) {
        alignas(64) float c[2 * 16 * kColumns];
        unit.product(product, a, a + unit.rows * from_row,
                     right + block * chunk * layout.right_image, c);
        add_tile(c, 2 * unit.rows, to + block * kColumns, layout.blocks * kColumns);
      }
      unit.end();
    });
  }

  parallel_for(sizes.out, [&](int64_t out) {
    for (int64_t in = 0; in < sizes.in; ++in) {
      for (int64_t tap = 0; tap < sizes.taps(); ++tap) {
        // A window holds tap after tap, each with its channels.
        const int64_t row = view.windows ? tap * sizes.in + in : tap * layout.channels + in;
        dweight[(out * sizes.in + in) * sizes.taps() + tap] =
            sums[row * layout.blocks * kColumns + out];
      }
    }
  });
}

}  // namespace adassl::kernels
