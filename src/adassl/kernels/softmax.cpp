#include "adassl/kernels/softmax.h"

#include <cmath>
#include <limits>

#include "adassl/kernels/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/softmax.cpp"
// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/bands-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

// The rows of a band yield the logits, the exponentials and the gradients of q. Its columns then
// yield the gradients of k. Nothing is computed twice.
constexpr float kNever = -std::numeric_limits<float>::infinity();  // the logit of an omitted column

struct Band {
  float* logits;   // [rows][stride]
  float* scaled;   // panels of q_i w_i and w_i: [width + 1] x rows
  float* queries;  // panels of q
};

/// What all tasks of one call share.
struct SoftmaxState : Bands {
  const SoftmaxProblem& problem;
  const SoftmaxGradients& gradients;
  const float* keys;         // [blocks][width][64]
  const float* bias;         // [blocks * 64]
  float* key_gradients;      // [blocks][width + 1][64], the last row is for the bias
  float* row_loss;           // [N]
  const double* exact_keys;  // [blocks][width][64], or null
  float* rests;              // [band_rows][stride] exact logits minus their float32 values
};

HWY_INLINE Vec clamped(Vec s, Vec limit) {
  const Vec inside = hn::Min(hn::Max(s, hn::Neg(limit)), limit);
  return hn::IfThenElse(hn::Eq(s, hn::Set(kF, kNever)), s, inside);
}

inline float largest(const float* s, int64_t count) {
  Vec best[4] = {hn::Set(kF, kNever), hn::Set(kF, kNever), hn::Set(kF, kNever),
                 hn::Set(kF, kNever)};  // four independent chains hide the latency
  for (int64_t j = 0; j < count; j += 4 * kLanes) {
    for (int64_t v = 0; v < 4; ++v) best[v] = hn::Max(best[v], hn::LoadU(kF, s + j + v * kLanes));
  }
  return max_lanes(hn::Max(hn::Max(best[0], best[1]), hn::Max(best[2], best[3])));
}

/// s <- e^(s + rest - top), or 0 where the clamp is active, since no gradient passes there. Returns
/// the sum of all exponentials, including those of clamped logits.
inline double exponentiate(float* s, const float* rest, int64_t count, float top, float clamp) {
  const Vec shift = hn::Set(kF, top);
  const Vec limit = hn::Set(kF, clamp);
  double sum = 0;
  for (int64_t begin = 0; begin < count; begin += kGroup * kBlock) {
    const int64_t end = std::min(count, begin + kGroup * kBlock);
    Vec part = hn::Zero(kF);
    if (clamp > 0 || rest != nullptr) {
      for (int64_t j = begin; j < end; j += kLanes) {
        const Vec raw = hn::LoadU(kF, s + j);
        const auto free = clamp > 0 ? hn::Le(hn::Abs(raw), limit) : hn::Eq(raw, raw);
        Vec from_top = hn::Sub(clamp > 0 ? clamped(raw, limit) : raw, shift);
        if (rest != nullptr) {
          from_top = hn::Add(from_top, hn::IfThenElseZero(free, hn::LoadU(kF, rest + j)));
        }
        const Vec e = exp_of_negative(from_top);
        part = hn::Add(part, e);
        hn::StoreU(hn::IfThenElseZero(free, e), kF, s + j);
      }
    } else {
      for (int64_t j = begin; j < end; j += kLanes) {
        const Vec e = exp_of_negative(hn::Sub(hn::LoadU(kF, s + j), shift));
        part = hn::Add(part, e);
        hn::StoreU(e, kF, s + j);
      }
    }
    sum += sum_lanes(part);
  }
  return sum;
}

/// Overwrites row i of the logits with values that, times the returned weight, are its gradient.
inline double softmax_row(const SoftmaxState& state, int64_t i, float* s, const float* rest) {
  const SoftmaxProblem& p = state.problem;
  const int64_t padded = state.blocks * kBlock;
  std::fill(s + p.columns, s + padded, kNever);
  if (p.excluded >= 0) s[i + p.excluded] = kNever;
  const bool held = p.clamp > 0 && !(std::abs(s[i]) <= p.clamp);
  double positive = static_cast<double>(s[i]) + (rest != nullptr ? rest[i] : 0.0F);
  if (held) positive = std::min(std::max(s[i], -p.clamp), p.clamp);
  float top = largest(s, padded);
  if (p.clamp > 0) top = std::min(std::max(top, -p.clamp), p.clamp);
  s[i] = kNever;
  const double others = exponentiate(s, rest, padded, top, p.clamp);
  // The sum omits the positive: p_ii - 1 is minus the share of the others, without cancellation.
  const double own = std::exp(positive - top);
  state.row_loss[i] = static_cast<float>(positive == top ? std::log1p(others)
                                                         : std::log(own + others) + top - positive);
  s[i] = held ? 0.0F : static_cast<float>(-others);
  return 1 / ((own + others) * static_cast<double>(p.rows));
}

/// The logits of some rows for one block of columns.
inline void logits_of(const SoftmaxState& state, const float* queries, int64_t rows, int64_t block,
                      float* logits) {
  const int64_t d = state.problem.width;
  product(
      rows, d, queries, state.keys + block * d * kBlock, kBlock,
      [&](int64_t, int64_t j) { return hn::LoadU(kF, state.bias + block * kBlock + j); },
      [&](int64_t m, int64_t j, Vec s) {
        hn::StoreU(s, kF, logits + m * state.stride + block * kBlock + j);
      });
}

/// The same from the operands in double precision. A logit is stored as the nearest float32 and the
/// remainder.
inline void exact_logits_of(const SoftmaxState& state, const double* queries, int64_t rows,
                            int64_t block, float* logits, float* rests) {
  const hn::CappedTag<double, 8> doubles;
  const hn::Rebind<float, decltype(doubles)> floats;
  const auto lanes = static_cast<int64_t>(hn::Lanes(doubles));
  const SoftmaxProblem& p = state.problem;
  const double* keys = state.exact_keys + block * p.width * kBlock;
  double bias[kBlock] = {};
  const int64_t samples = std::min(kBlock, p.columns - block * kBlock);
  if (p.exact_bias != nullptr) std::copy_n(p.exact_bias + block * kBlock, samples, bias);
  for (int64_t m = 0; m < rows; ++m) {
    const double* query = queries + m * p.width;
    const int64_t to = m * state.stride + block * kBlock;
    for (int64_t j = 0; j < kBlock; j += lanes) {
      auto sum = hn::LoadU(doubles, bias + j);
      for (int64_t f = 0; f < p.width; ++f) {
        sum =
            hn::MulAdd(hn::Set(doubles, query[f]), hn::LoadU(doubles, keys + f * kBlock + j), sum);
      }
      const auto near = hn::DemoteTo(floats, sum);
      hn::StoreU(near, floats, logits + to + j);
      hn::StoreU(hn::DemoteTo(floats, hn::Sub(sum, hn::PromoteTo(doubles, near))), floats,
                 rests + to + j);
    }
  }
}

/// Computes the loss of rows [first, first + count) of a band, their gradients of q, and the
/// operand of column_task.
inline void row_task(const SoftmaxState& state, const Band& band, int64_t band_first, int64_t first,
                     int64_t count, int64_t band_rows) {
  const SoftmaxProblem& p = state.problem;
  const int64_t d = p.width;
  const float* q = p.q + (band_first + first) * d;
  float* queries = band.queries + first * d;
  pack_panels(q, count, d, d, 1, queries);
  float* logits = band.logits + first * state.stride;
  float* rests = p.exact_q == nullptr ? nullptr : state.rests + first * state.stride;
  for (int64_t b = 0; b < state.blocks; ++b) {
    if (rests == nullptr) {
      logits_of(state, queries, count, b, logits);
    } else {
      exact_logits_of(state, p.exact_q + (band_first + first) * d, count, b, logits, rests);
    }
  }
  float weights[kTaskRows];
  for (int64_t m = 0; m < count; ++m) {
    const int64_t row = m * state.stride;
    weights[m] = static_cast<float>(softmax_row(state, band_first + first + m, logits + row,
                                                rests == nullptr ? nullptr : rests + row));
  }
  for (int64_t m = 0; m < count; ++m) {  // for column_task
    for (int64_t f = 0; f <= d; ++f) {
      band.scaled[f / kPanel * kPanel * band_rows + (first + m) * kPanel + f % kPanel] =
          f < d ? q[m * d + f] * weights[m] : weights[m];
    }
  }
  if (state.gradients.q == nullptr) return;
  float* out = state.gradients.q + (band_first + first) * d;
  for (int64_t b = 0; b < state.blocks; b += kGroup) {
    reduction(std::min(kGroup, state.blocks - b), count, d,
              {logits + b * kBlock, state.stride, kBlock},
              {state.keys + b * d * kBlock, kBlock, d * kBlock}, out, d, b > 0);
  }
  for (int64_t m = 0; m < count; ++m) {
    for (int64_t f = 0; f < d; ++f) out[m * d + f] *= weights[m];
  }
}

/// Adds the contribution of a band to the gradients of the keys in blocks [begin, end).
inline void column_task(const SoftmaxState& state, const Band& band, int64_t rows, bool first_band,
                        int64_t begin, int64_t end) {
  const int64_t features = state.problem.width + 1;
  for (int64_t b = begin; b < end; ++b) {
    float* to = state.key_gradients + b * features * kBlock;
    const auto finish = [&](int64_t m, int64_t j, Vec sum) {
      hn::StoreU(sum, kF, to + m * kBlock + j);
    };
    const float* from = band.logits + b * kBlock;
    if (first_band) {
      product(
          features, rows, band.scaled, from, state.stride,
          [&](int64_t, int64_t) { return hn::Zero(kF); }, finish);
    } else {
      product(
          features, rows, band.scaled, from, state.stride,
          [&](int64_t m, int64_t j) { return hn::LoadU(kF, to + m * kBlock + j); }, finish);
    }
  }
}

double softmax_cross_entropy_target(const SoftmaxProblem& p, const SoftmaxGradients& gradients,
                                    SoftmaxWorkspace& workspace) {
  if (p.rows == 0) return 0;
  const int64_t d = p.width;
  const int64_t features = d + 1;
  const Bands bands(p.rows, p.columns);
  const int64_t blocks = bands.blocks;
  const int64_t stride = bands.stride;
  const int64_t band_rows = bands.band_rows;
  workspace.keys.resize(blocks * d * kBlock);
  workspace.bias.resize(blocks * kBlock);
  workspace.queries.resize(2 * padded_to(band_rows, kPanel) * d);
  workspace.panels.resize(2 * band_rows * stride);
  workspace.scaled.resize(2 * padded_to(features, kPanel) * band_rows);
  workspace.key_gradients.resize(blocks * features * kBlock);
  workspace.row_loss.resize(p.rows);
  const bool exact = p.exact_q != nullptr;
  if (exact) {
    workspace.exact_keys.resize(blocks * d * kBlock);
    workspace.rests.resize(band_rows * stride);
  }
  const SoftmaxState state{bands,
                           p,
                           gradients,
                           workspace.keys.data(),
                           workspace.bias.data(),
                           workspace.key_gradients.data(),
                           workspace.row_loss.data(),
                           workspace.exact_keys.data(),
                           workspace.rests.data()};
  parallel_for(blocks, [&](int64_t b) {
    const int64_t samples = std::min(kBlock, p.columns - b * kBlock);
    pack_block(p.k + b * kBlock * d, samples, d, workspace.keys.data() + b * d * kBlock);
    if (exact) {
      pack_block(p.exact_k + b * kBlock * d, samples, d,
                 workspace.exact_keys.data() + b * d * kBlock);
    }
    float* bias = workspace.bias.data() + b * kBlock;
    std::fill(bias, bias + kBlock, 0.0F);
    if (p.bias != nullptr) std::copy_n(p.bias + b * kBlock, samples, bias);
  });
  const auto band_at = [&](int64_t index) {
    const int64_t slot = index % 2;
    return Band{workspace.panels.data() + slot * band_rows * stride,
                workspace.scaled.data() + slot * padded_to(features, kPanel) * band_rows,
                workspace.queries.data() + slot * padded_to(band_rows, kPanel) * d};
  };
  const bool keys_wanted = gradients.k != nullptr || gradients.bias != nullptr;
  in_bands(
      bands, keys_wanted,
      [&](int64_t band, int64_t first, int64_t count) {
        row_task(state, band_at(band), band * bands.band_rows, first, count, bands.rows_of(band));
      },
      [&](int64_t band, int64_t begin, int64_t end) {
        column_task(state, band_at(band), bands.rows_of(band), band == 0, begin, end);
      });
  if (keys_wanted) {
    parallel_for(blocks, [&](int64_t b) {
      const int64_t samples = std::min(kBlock, p.columns - b * kBlock);
      const float* from = workspace.key_gradients.data() + b * features * kBlock;
      if (gradients.k != nullptr) unpack_block(from, samples, d, gradients.k + b * kBlock * d);
      if (gradients.bias != nullptr) {
        std::copy_n(from + d * kBlock, samples, gradients.bias + b * kBlock);
      }
    });
  }
  double loss = 0;
  for (int64_t i = 0; i < p.rows; ++i) loss += workspace.row_loss.data()[i];
  return loss / static_cast<double>(p.rows);
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {

HWY_EXPORT(softmax_cross_entropy_target);

int64_t SoftmaxWorkspace::bytes() const {
  int64_t sum = exact_keys.bytes();
  for (const Buffer* buffer :
       {&keys, &bias, &queries, &panels, &scaled, &key_gradients, &row_loss, &rests}) {
    sum += buffer->bytes();
  }
  return sum;
}

double softmax_cross_entropy(const SoftmaxProblem& problem, const SoftmaxGradients& gradients,
                             SoftmaxWorkspace& workspace) {
  return ADASSL_DISPATCH(softmax_cross_entropy_target)(problem, gradients, workspace);
}

}  // namespace adassl::kernels
#endif
