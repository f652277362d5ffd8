#include <algorithm>

#include "adassl/kernels/convolution/common.h"
#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/pairing.h"
#include "adassl/kernels/convolution/plane.h"

/// The gradient of a convolution's weights: for each output channel o, input channel i and tap t
///   dweight[o, i, t] = sum over images and output pixels p
///                      of dy[p, o] act(x)[stride p + t - padding, i]
/// x is [images, height, width, in], dy is [images, out height, out width, out], dweight is
/// [out, in, height, width] in float32. Tasks sum over some images each; their sums are added in
/// order.
namespace adassl::kernels {
namespace {

constexpr int64_t kBehind = 16;  // numbers that pairing may read, and drops

/// The sums run over pixels, so both operands lie in pairs of pixels: the rows of two windows
/// beside each other, and the gradient of their outputs.
class WeightGradient {
 public:
  WeightGradient(const ConvolutionSizes& sizes, const Normed& x, const NormedGradient& dy)
      : sizes_(sizes),
        x_(x),
        unit_(kernels::unit()),
        view_(input_view(unit_, sizes)),
        gradient_(sizes, dy),
        pairs_(pairs_for(unit_, view_.columns)),
        channels_(padded_to(view_.channels, 2 * unit_.rows)),
        blocks_((sizes.out + kColumns - 1) / kColumns),
        tile_(2 * unit_.rows),
        left_row_(2 * pairs_ * (unit_.pairs_adjoin ? channels_ : tile_)),
        right_row_(2 * pairs_ * kColumns) {}

  void run(float* dweight) const {
    static thread_local Buffer buffer;
    const int64_t groups = groups_of_images();
    buffer.resize(groups * part_size());
    float* const sums = buffer.data();
    if (groups == 1) {
      sum({0, sizes_.images}, kSharedBytes, sums);
    } else {
      parallel_for(groups, [&](int64_t group) {
        sum({group * sizes_.images / groups, (group + 1) * sizes_.images / groups}, kOwnBytes,
            sums + group * part_size());
      });
    }
    parallel_for((sizes_.out + kTile - 1) / kTile,
                 [&](int64_t tile) { deliver(tile * kTile, groups, sums, dweight); });
  }

 private:
  struct Images {
    int64_t begin, end;
  };
  /// The operands of some images, in pairs.
  struct Paired {
    Bf16* left;
    Bf16* right;
    int64_t left_tile;    // numbers from tile to tile
    int64_t right_block;  // from block to block
  };
  static constexpr int64_t kTile = 16;              // of what is delivered
  static constexpr int64_t kSharedBytes = 2 << 20;  // of operands, in the cache that threads share
  static constexpr int64_t kOwnBytes = 512 << 10;   // or in that of each

  /// A small gradient is summed by several groups of images on their own; of a large one threads
  /// share out the tiles, and wait for each other twice a chunk.
  int64_t groups_of_images() const {
    constexpr int64_t kNumbers = 512 << 10;  // of all groups' sums
    constexpr int64_t kFewest = 8;
    const int64_t groups = std::min({kNumbers / part_size(), 2 * kFewest, sizes_.images});
    return groups < kFewest ? 1 : groups;
  }

  void sum(Images of, int64_t bytes, float* sums) const {
    static thread_local Bf16Buffer left, right;
    const int64_t of_left = 2 * pairs_ * channels_ * sizes_.height;
    const int64_t of_right = blocks_ * right_row_ * view_.rows;
    const int64_t chunk =
        std::clamp<int64_t>(bytes / (2 * (of_left + of_right)), 1, of.end - of.begin);
    left.resize(chunk * of_left);
    right.resize(chunk * of_right);
    const Paired to{left.data(), right.data(), chunk * sizes_.height * left_row_,
                    chunk * view_.rows * right_row_};
    const int64_t tiles = channels_ / tile_;
    for (int64_t first = of.begin; first < of.end; first += chunk) {
      const int64_t images = std::min(chunk, of.end - first);
      parallel_for(images, [&](int64_t i) { pair(first + i, i, to); });
      parallel_for(view_.taps * tiles, [&](int64_t task) {
        multiply(images, to, task / tiles, task % tiles * tile_, first > of.begin, sums);
      });
    }
  }

  /// left[tile][i][row][pair][channel of the tile][2], right[block][i][row][pair][32][2]; or, where
  /// the unit wants pairs side by side, left[i][row][channel][pair][2].
  void pair(int64_t image, int64_t i, const Paired& to) const {
    static thread_local Bf16Buffer inputs, slopes;
    const int64_t pixels = view_.rows * view_.columns;
    inputs.resize(view_.plane.size() + kBehind);
    slopes.resize(pixels * sizes_.out + kBehind);
    fill_input(sizes_, view_, x_, image, inputs.data());
    gradient_.fill(image * pixels, pixels, sizes_.out, slopes.data());
    const Pairing of_inputs{
        view_.columns, view_.column_step(), view_.channels,    channels_, pairs_,
        tile_,         to.left_tile,        unit_.pairs_adjoin};
    for (int64_t row = 0; row < sizes_.height; ++row) {
      pair_pixels(of_inputs, inputs.data() + (row + view_.plane.top) * view_.plane.row_size(),
                  to.left + (i * sizes_.height + row) * left_row_);
    }
    const Pairing of_slopes{view_.columns, sizes_.out, sizes_.out,     blocks_ * kColumns,
                            pairs_,        kColumns,   to.right_block, false};
    for (int64_t row = 0; row < view_.rows; ++row) {
      pair_pixels(of_slopes, slopes.data() + row * view_.columns * sizes_.out,
                  to.right + (i * view_.rows + row) * right_row_);
    }
  }

  /// sums[tap][channel][out] for some channels of a tap, or more of them. Rows of outputs, of
  /// several images, are the taps of the product; those that find nothing but the margin are left
  /// out.
  void multiply(int64_t images, const Paired& from, int64_t tap, int64_t channel, bool more,
                float* sums) const {
    static thread_local std::vector<Tap> rows;
    rows.clear();
    for (int64_t i = 0; i < images; ++i) {
      for (int64_t row = 0; row < view_.rows; ++row) {
        const int64_t input = row * view_.stride[0] + tap - view_.plane.top;
        if (input < 0 || input >= sizes_.height) continue;
        rows.push_back(
            {(i * sizes_.height + input) * left_row_, (i * view_.rows + row) * right_row_});
      }
    }
    const int64_t a_row = unit_.pairs_adjoin ? 2 * pairs_ : 2;
    const int64_t a_pair = unit_.pairs_adjoin ? 2 : 2 * tile_;
    // The last tile may be all but empty: half of the channels that it has, in each group of rows.
    const int64_t group = std::min(unit_.rows, (view_.channels - channel + 1) / 2);
    const Product product{group, a_row, a_pair, pairs_, rows};
    const Bf16* a =
        from.left + (unit_.pairs_adjoin ? channel * a_row : channel / tile_ * from.left_tile);
    const int64_t stride = blocks_ * kColumns;
    unit_.begin(group, pairs_);
    for (int64_t block = 0; block < blocks_; ++block) {
      alignas(64) float c[kMostRows * kColumns];
      unit_.product(product, a, a + group * a_row, from.right + block * from.right_block, c);
      float* to = sums + (tap * channels_ + channel) * stride + block * kColumns;
      for (int64_t m = 0; m < 2 * group; ++m) {
        float* row = to + m * stride;
        if (more) {
          for (int64_t n = 0; n < kColumns; ++n) row[n] += c[m * kColumns + n];
        } else {
          std::copy_n(c + m * kColumns, kColumns, row);
        }
      }
    }
    unit_.end();
  }

  int64_t part_size() const { return view_.taps * channels_ * blocks_ * kColumns; }
  /// dweight[out][in][tap], of 16 outputs: tile by tile, since both sides are read across.
  void deliver(int64_t first, int64_t groups, const float* sums, float* dweight) const {
    const int64_t outs = std::min(kTile, sizes_.out - first);
    const int64_t row = blocks_ * kColumns;
    for (int64_t tap = 0; tap < view_.taps; ++tap) {
      for (int64_t channel = 0; channel < view_.channels; channel += kTile) {
        const int64_t channels = std::min(kTile, view_.channels - channel);
        float tile[kTile][kTile] = {};
        int64_t places[kTile];
        for (int64_t c = 0; c < channels; ++c) {
          const int64_t at = channel + c;
          places[c] = at % sizes_.in * sizes_.taps() + tap * sizes_.kernel[1] + at / sizes_.in;
          const float* from = sums + (tap * channels_ + at) * row + first;
          for (int64_t group = 0; group < groups; ++group, from += part_size()) {
            for (int64_t n = 0; n < kTile; ++n) tile[c][n] += from[n];
          }
        }
        for (int64_t n = 0; n < outs; ++n) {
          float* to = dweight + (first + n) * sizes_.in * sizes_.taps();
          for (int64_t c = 0; c < channels; ++c) to[places[c]] = tile[c][n];
        }
      }
    }
  }

  const ConvolutionSizes& sizes_;
  const Normed& x_;
  const Unit& unit_;
  InputView view_;
  OutputGradient gradient_;
  int64_t pairs_;      // of a row of outputs
  int64_t channels_;   // of a tap, and those that fill up
  int64_t blocks_;     // of outputs' channels
  int64_t tile_;       // channels of a product
  int64_t left_row_;   // numbers, of inputs
  int64_t right_row_;  // of the outputs' gradient
};

}  // namespace

void weight_gradient(const ConvolutionSizes& given, const Normed& x, const NormedGradient& dy,
                     float* dweight) {
  const ConvolutionSizes sizes = checked(given);
  WeightGradient(sizes, x, dy).run(dweight);
}

}  // namespace adassl::kernels
