#include <cmath>

#include "adassl/kernels/softmax.h"
#include "adassl/kernels/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/softmax_both.cpp"
// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/bands-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

// All rows are processed twice: first for the sums of all rows and columns, then for the gradients.
// This takes four matrix products; the two directions would take six if computed separately.
struct Both : Bands {
  const TwoWayProblem& p;
  const TwoWayGradients& gradients;
  TwoWayWorkspace& w;

  float* exponentials(int64_t band, int64_t row) const {
    return w.panels.data() + ((band % 2) * band_rows + row) * stride;
  }
};

/// e^s for some rows and all columns; 0 for the positives and for the padding columns.
inline void exponentials_of(const Both& both, int64_t band, int64_t first, int64_t count) {
  const TwoWayProblem& p = both.p;
  const int64_t d = p.width;
  const int64_t row = band * both.band_rows + first;
  float* queries = both.w.queries.data() + ((band % 2) * both.band_rows + first) * d;
  pack_panels(p.q + row * d, count, d, d, 1, queries);
  float* to = both.exponentials(band, first);
  for (int64_t b = 0; b < both.blocks; ++b) {
    product(
        count, d, queries, both.w.keys.data() + b * d * kBlock, kBlock,
        [&](int64_t m, int64_t j) {
          return hn::Add(hn::LoadU(kF, both.w.bias.data() + b * kBlock + j),
                         hn::Set(kF, p.row_bias[row + m]));
        },
        [&](int64_t m, int64_t j, Vec s) {
          hn::StoreU(s, kF, to + m * both.stride + b * kBlock + j);
        });
  }
  for (int64_t m = 0; m < count; ++m) {
    float* line = to + m * both.stride;
    for (int64_t j = 0; j < both.blocks * kBlock; j += kLanes) {
      hn::StoreU(exp_of_negative(hn::LoadU(kF, line + j)), kF, line + j);
    }
    std::fill(line + p.rows, line + both.blocks * kBlock, 0.0F);
    line[row + m] = 0;
  }
}

inline double sum_of(const float* values, int64_t count) {
  double sum = 0;
  for (int64_t begin = 0; begin < count; begin += kGroup * kBlock) {
    Vec part[4] = {hn::Zero(kF), hn::Zero(kF), hn::Zero(kF), hn::Zero(kF)};
    for (int64_t j = begin; j < std::min(count, begin + kGroup * kBlock); j += 4 * kLanes) {
      for (int64_t v = 0; v < 4; ++v) {
        part[v] = hn::Add(part[v], hn::LoadU(kF, values + j + v * kLanes));
      }
    }
    sum += sum_lanes(hn::Add(hn::Add(part[0], part[1]), hn::Add(part[2], part[3])));
  }
  return sum;
}

/// The first pass: for each row, and below for each column, the sum of e^s without the positive.
inline void sum_rows(const Both& both, int64_t band, int64_t first, int64_t count) {
  exponentials_of(both, band, first, count);
  for (int64_t m = 0; m < count; ++m) {
    both.w.row_others.data()[band * both.band_rows + first + m] =
        sum_of(both.exponentials(band, first + m), both.blocks * kBlock);
  }
}

inline void sum_columns(const Both& both, int64_t band, int64_t begin, int64_t end) {
  for (int64_t b = begin; b < end; ++b) {
    for (int64_t j = b * kBlock; j < (b + 1) * kBlock; j += kLanes) {
      Vec sum = hn::Zero(kF);
      for (int64_t m = 0; m < both.rows_of(band); ++m) {
        sum = hn::Add(sum, hn::LoadU(kF, both.exponentials(band, m) + j));
      }
      HWY_ALIGN float lanes[16];
      hn::StoreU(sum, kF, lanes);
      for (int64_t l = 0; l < kLanes; ++l) {
        double& total = both.w.column_others.data()[j + l];
        total = (band == 0 ? 0.0 : total) + lanes[l];
      }
    }
  }
}

/// The second pass: the gradients of the logits and of q.
inline void gradient_rows(const Both& both, int64_t band, int64_t first, int64_t count) {
  const TwoWayProblem& p = both.p;
  const int64_t d = p.width;
  const int64_t row = band * both.band_rows + first;
  exponentials_of(both, band, first, count);
  float* lines = both.exponentials(band, first);
  const float* column_shares = both.w.column_shares.data();
  for (int64_t m = 0; m < count; ++m) {
    float* line = lines + m * both.stride;
    const Vec share = hn::Set(kF, both.w.row_shares.data()[row + m]);
    for (int64_t j = 0; j < both.blocks * kBlock; j += kLanes) {
      const Vec factor = hn::Add(share, hn::LoadU(kF, column_shares + j));
      hn::StoreU(hn::Mul(hn::LoadU(kF, line + j), factor), kF, line + j);
    }
    line[row + m] = both.w.positive.data()[row + m];
    both.gradients.row_bias[row + m] = static_cast<float>(sum_of(line, both.blocks * kBlock));
    for (int64_t f = 0; f <= d; ++f) {  // for gradient_columns
      both.w.scaled
          .data()[(band % 2) * padded_to(d + 1, kPanel) * both.band_rows +
                  f / kPanel * kPanel * both.rows_of(band) + (first + m) * kPanel + f % kPanel] =
          f < d ? p.q[(row + m) * d + f] : 1.0F;
    }
  }
  for (int64_t b = 0; b < both.blocks; b += kGroup) {
    reduction(std::min(kGroup, both.blocks - b), count, d,
              {lines + b * kBlock, both.stride, kBlock},
              {both.w.keys.data() + b * d * kBlock, kBlock, d * kBlock}, both.gradients.q + row * d,
              d, b > 0);
  }
}

inline void gradient_columns(const Both& both, int64_t band, int64_t begin, int64_t end) {
  const int64_t features = both.p.width + 1;
  const float* scaled =
      both.w.scaled.data() + (band % 2) * padded_to(features, kPanel) * both.band_rows;
  for (int64_t b = begin; b < end; ++b) {
    float* to = both.w.key_gradients.data() + b * features * kBlock;
    product(
        features, both.rows_of(band), scaled, both.exponentials(band, 0) + b * kBlock, both.stride,
        [&](int64_t m, int64_t j) {
          return band == 0 ? hn::Zero(kF) : hn::LoadU(kF, to + m * kBlock + j);
        },
        [&](int64_t m, int64_t j, Vec sum) { hn::StoreU(sum, kF, to + m * kBlock + j); });
  }
}

/// Computes from the sums the loss and the factors by which each row and column multiplies its
/// exponentials. Returns nothing if a sum is so small that some of its terms may have underflowed.
inline std::optional<double> shares(const Both& both) {
  const TwoWayProblem& p = both.p;
  const auto n = static_cast<double>(p.rows);
  double loss = 0;
  for (int64_t i = 0; i < p.rows; ++i) {
    double s = static_cast<double>(p.row_bias[i]) + both.w.bias.data()[i];
    for (int64_t f = 0; f < p.width; ++f) {
      s += static_cast<double>(p.q[i * p.width + f]) * p.k[i * p.width + f];
    }
    const double own = std::exp(s);
    const double row = both.w.row_others.data()[i];
    const double column = both.w.column_others.data()[i];
    constexpr double kLeastSum = 1e-24;  // terms down to 1e-14 of it do not underflow
    if (!(own + row > kLeastSum) || !(own + column > kLeastSum)) return {};
    const auto one_way = [&](double others) {  // never divides by an e^s that is 0
      return others < own ? std::log1p(others / own) : std::log(own + others) - s;
    };
    loss += (one_way(row) + one_way(column)) / 2;
    both.w.row_shares.data()[i] = static_cast<float>(1 / (own + row) / n / 2);
    both.w.column_shares.data()[i] = static_cast<float>(1 / (own + column) / n / 2);
    both.w.positive.data()[i] =
        static_cast<float>(-(row / (own + row) + column / (own + column)) / n / 2);
  }
  for (int64_t j = p.rows; j < both.blocks * kBlock; ++j) both.w.column_shares.data()[j] = 0;
  return loss / n;
}

std::optional<double> two_way_target(const TwoWayProblem& p, const TwoWayGradients& gradients,
                                     TwoWayWorkspace& w) {
  if (p.rows == 0) return 0;
  const int64_t d = p.width;
  const Bands bands(p.rows, p.rows);
  const int64_t blocks = bands.blocks;
  const int64_t band_rows = bands.band_rows;
  w.keys.resize(blocks * d * kBlock);
  w.bias.resize(blocks * kBlock);
  w.queries.resize(2 * band_rows * d);
  w.panels.resize(2 * band_rows * bands.stride);
  w.scaled.resize(2 * padded_to(d + 1, kPanel) * band_rows);
  w.key_gradients.resize(blocks * (d + 1) * kBlock);
  w.row_shares.resize(p.rows);
  w.column_shares.resize(blocks * kBlock);
  w.positive.resize(p.rows);
  w.row_others.resize(p.rows);
  w.column_others.resize(blocks * kBlock);
  const Both both{bands, p, gradients, w};
  const auto pass = [&](auto rows_work, auto columns_work) {
    in_bands(
        bands, true, [&](auto... at) { rows_work(both, at...); },
        [&](auto... at) { columns_work(both, at...); });
  };
  parallel_for(blocks, [&](int64_t b) {
    const int64_t samples = std::min(kBlock, p.rows - b * kBlock);
    pack_block(p.k + b * kBlock * d, samples, d, w.keys.data() + b * d * kBlock);
    std::fill_n(w.bias.data() + b * kBlock, kBlock, 0.0F);
    std::copy_n(p.bias + b * kBlock, samples, w.bias.data() + b * kBlock);
  });
  pass(sum_rows, sum_columns);
  const std::optional<double> loss = shares(both);
  if (!loss || gradients.q == nullptr) return loss;
  pass(gradient_rows, gradient_columns);
  parallel_for(blocks, [&](int64_t b) {
    const int64_t samples = std::min(kBlock, p.rows - b * kBlock);
    const float* from = w.key_gradients.data() + b * (d + 1) * kBlock;
    unpack_block(from, samples, d, gradients.k + b * kBlock * d);
    std::copy_n(from + d * kBlock, samples, gradients.bias + b * kBlock);
  });
  return loss;
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {

HWY_EXPORT(two_way_target);

int64_t TwoWayWorkspace::bytes() const {
  int64_t sum = row_others.bytes() + column_others.bytes();
  for (const Buffer* buffer : {&keys, &bias, &queries, &panels, &scaled, &key_gradients,
                               &row_shares, &column_shares, &positive}) {
    sum += buffer->bytes();
  }
  return sum;
}

std::optional<double> two_way_cross_entropy(const TwoWayProblem& problem,
                                            const TwoWayGradients& gradients,
                                            TwoWayWorkspace& workspace) {
  return ADASSL_DISPATCH(two_way_target)(problem, gradients, workspace);
}

}  // namespace adassl::kernels
#endif
