#include <algorithm>

#include "adassl/kernels/convolution/common.h"
#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/plane.h"

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

  void run(float* dweight) {
    static thread_local Halves left, right;
    static thread_local Buffer sums;
    // As many images as the cache holds that threads share.
    constexpr int64_t kBytes = 2 << 20;
    const int64_t of_left = 2 * pairs_ * channels_ * sizes_.height;
    const int64_t of_right = blocks_ * right_row_ * view_.rows;
    chunk_ = std::clamp<int64_t>(kBytes / (2 * (of_left + of_right)), 1, sizes_.images);
    left.resize(chunk_ * of_left);
    right.resize(chunk_ * of_right);
    sums.resize(view_.taps * channels_ * blocks_ * kColumns);
    left_ = left.data();
    right_ = right.data();
    sums_ = sums.data();
    std::fill_n(sums_, view_.taps * channels_ * blocks_ * kColumns, 0.0F);
    for (int64_t first = 0; first < sizes_.images; first += chunk_) {
      const int64_t images = std::min(chunk_, sizes_.images - first);
      parallel_for(images, [&](int64_t i) { pair(first + i, i); });
      const int64_t tiles = channels_ / tile_;
      parallel_for(view_.taps * tiles,
                   [&](int64_t task) { multiply(images, task / tiles, task % tiles * tile_); });
    }
    parallel_for(sizes_.out, [&](int64_t out) { deliver(out, dweight); });
  }

 private:
  /// left[tile][i][row][pair][channel of the tile][2], right[block][i][row][pair][32][2]; or, where
  /// the unit wants pairs side by side, left[i][row][channel][pair][2].
  void pair(int64_t image, int64_t i) const {
    static thread_local Halves inputs, slopes;
    const int64_t pixels = view_.rows * view_.columns;
    inputs.resize(view_.plane.size() + kBehind);
    slopes.resize(pixels * sizes_.out + kBehind);
    fill_input(sizes_, view_, x_, image, inputs.data());
    gradient_.fill(image * pixels, pixels, sizes_.out, slopes.data());
    const Pairing of_inputs{
        view_.columns, view_.column_step(), view_.channels,    channels_, pairs_,
        tile_,         left_tile(),         unit_.pairs_adjoin};
    for (int64_t row = 0; row < sizes_.height; ++row) {
      pair_pixels(of_inputs, inputs.data() + (row + view_.plane.top) * view_.plane.row_size(),
                  left_ + (i * sizes_.height + row) * left_row_);
    }
    const Pairing of_slopes{view_.columns, sizes_.out, sizes_.out,    blocks_ * kColumns,
                            pairs_,        kColumns,   right_block(), false};
    for (int64_t row = 0; row < view_.rows; ++row) {
      pair_pixels(of_slopes, slopes.data() + row * view_.columns * sizes_.out,
                  right_ + (i * view_.rows + row) * right_row_);
    }
  }

  /// sums[tap][channel][out] for some channels of a tap. Rows of outputs, of all images, are the
  /// taps of the product; those that find nothing but the margin are left out.
  void multiply(int64_t images, int64_t tap, int64_t channel) const {
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
    const Product product{unit_.rows, a_row, a_pair, pairs_, rows};
    const Bf16* a = left_ + (unit_.pairs_adjoin ? channel * a_row : channel / tile_ * left_tile());
    const int64_t stride = blocks_ * kColumns;
    unit_.begin(unit_.rows, pairs_);
    for (int64_t block = 0; block < blocks_; ++block) {
      alignas(64) float c[kMostRows * kColumns];
      unit_.product(product, a, a + unit_.rows * a_row, right_ + block * right_block(), c);
      float* to = sums_ + (tap * channels_ + channel) * stride + block * kColumns;
      for (int64_t m = 0; m < tile_; ++m) {
        for (int64_t n = 0; n < kColumns; ++n) to[m * stride + n] += c[m * kColumns + n];
      }
    }
    unit_.end();
  }

  int64_t left_tile() const { return chunk_ * sizes_.height * left_row_; }
  int64_t right_block() const { return chunk_ * view_.rows * right_row_; }

  /// dweight[out][in][tap], of one output.
  void deliver(int64_t out, float* dweight) const {
    for (int64_t in = 0; in < sizes_.in; ++in) {
      for (int64_t tap = 0; tap < sizes_.taps(); ++tap) {
        const int64_t channel = tap % sizes_.kernel[1] * sizes_.in + in;
        const int64_t row = tap / sizes_.kernel[1] * channels_ + channel;
        dweight[(out * sizes_.in + in) * sizes_.taps() + tap] =
            sums_[row * blocks_ * kColumns + out];
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
  int64_t chunk_ = 1;
  Bf16* left_ = nullptr;
  Bf16* right_ = nullptr;
  float* sums_ = nullptr;
};

}  // namespace

void weight_gradient(const ConvolutionSizes& given, const Normed& x, const NormedGradient& dy,
                     float* dweight) {
  const ConvolutionSizes sizes = checked(given);
  WeightGradient(sizes, x, dy).run(dweight);
}

}  // namespace adassl::kernels
