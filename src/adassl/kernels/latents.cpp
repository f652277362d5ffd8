#include "adassl/kernels/latents.h"

#include <algorithm>
#include <vector>

#include "adassl/kernels/threads.h"

// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/latents.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

HWY_INLINE V set(float value) { return hn::Set(D(), value); }

/// Clamps that propagate NaN, unlike Min and Max.
HWY_INLINE V at_most(V x, float bound) {
  return hn::IfThenElse(hn::Gt(x, set(bound)), set(bound), x);
}
HWY_INLINE V at_least(V x, float bound) {
  return hn::IfThenElse(hn::Lt(x, set(bound)), set(bound), x);
}

/// exp(x), with x limited so that neither the result nor its reciprocal overflows. NaN stays NaN.
HWY_INLINE V bounded_exp(V x) {
  const V y = hn::Exp(D(), hn::Min(hn::Max(x, set(-87)), set(87)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

/// The left and right halves of the rows of [N, 2d], each stored contiguously. As d is small,
/// vectors that must not cross the end of a row would be mostly empty.
struct TwoHalves {
  static constexpr size_t kLanes = 8;
  using Run = hn::CappedTag<float, kLanes>;  // consecutive elements of one row

  TwoHalves(int64_t rows_, int64_t dim_)
      : rows(rows_),
        dim(dim_),
        left(static_cast<size_t>(rows_ * dim_) + kLanes),
        right(static_cast<size_t>(rows_ * dim_) + kLanes) {}
  TwoHalves(const float* from, int64_t rows_, int64_t dim_) : TwoHalves(rows_, dim_) {
    for_each_run([&](int64_t half, int64_t whole, auto present) HWY_ATTR {
      // The stores may reach beyond this run; the next run overwrites these values.
      hn::StoreU(hn::MaskedLoad(present, Run(), from + whole), Run(), left.data() + half);
      hn::StoreU(hn::MaskedLoad(present, Run(), from + whole + dim), Run(), right.data() + half);
    });
  }

  void write(float* to) const {
    for_each_run([&](int64_t half, int64_t whole, auto present) HWY_ATTR {
      hn::BlendedStore(hn::LoadU(Run(), left.data() + half), present, Run(), to + whole);
      hn::BlendedStore(hn::LoadU(Run(), right.data() + half), present, Run(), to + whole + dim);
    });
  }

  /// Calls work(offset in a half, offset in the rows, mask of lanes) for every run.
  template <class Work>
  HWY_INLINE void for_each_run(const Work& work) const {
    const auto lanes = static_cast<int64_t>(hn::Lanes(Run()));
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < dim; column += lanes) {
        const auto count = static_cast<size_t>(std::min(lanes, dim - column));
        work(row * dim + column, row * 2 * dim + column, hn::FirstN(Run(), count));
      }
    }
  }

  int64_t rows, dim;
  std::vector<float> left, right;  // [N, d], padded by one vector
};

/// One vector of elements; the last one may be partly filled.
struct Piece {
  int64_t at;
  M present;

  V load(const float* from) const { return hn::MaskedLoad(present, D(), from + at); }
  V load(const std::vector<float>& from) const { return load(from.data()); }
  void store(V value, float* to) const { hn::BlendedStore(value, present, D(), to + at); }
  void store(V value, std::vector<float>& to) const { store(value, to.data()); }
};

template <class Work>
HWY_INLINE void for_each_piece(int64_t count, const Work& work) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  for (int64_t i = 0; i < count; i += lanes) {
    work(Piece{i, hn::FirstN(D(), static_cast<size_t>(std::min(lanes, count - i)))});
  }
}

struct Scale {
  V s;      // the standard deviation
  V slope;  // ds/da
};

HWY_INLINE Scale scale_of(V a) {
  constexpr float kLowest = 6.737946999e-3F, kHighest = 148.4131591F;  // e^-5, e^5
  const V e = bounded_exp(at_most(a, 20));
  const M curved = hn::Le(a, set(20));
  const V softplus = hn::IfThenElse(curved, hn::Log1p(D(), e), a);
  const V sigma = hn::Add(softplus, set(1e-6F));
  const V sigmoid = hn::IfThenElse(curved, hn::Div(e, hn::Add(e, set(1))), set(1));
  const M free = hn::And(hn::Ge(sigma, set(kLowest)), hn::Le(sigma, set(kHighest)));
  return {at_most(at_least(sigma, kLowest), kHighest), hn::IfThenElseZero(free, sigmoid)};
}

void gaussian_rows(const GaussianInputs& in, float* r, float* cost) {
  const TwoHalves q(in.posterior, in.rows, in.dim);
  const TwoHalves p(in.prior, in.rows, in.dim);
  for_each_piece(in.rows * in.dim, [&](const Piece& piece) HWY_ATTR {
    const V mean = piece.load(q.left);
    const V s_q = scale_of(piece.load(q.right)).s;
    const V s_p = scale_of(piece.load(p.right)).s;
    piece.store(hn::MulAdd(s_q, piece.load(in.eps), mean), r);

    const V rho = hn::Div(s_q, s_p);
    const V z = hn::Div(hn::Sub(mean, piece.load(p.left)), s_p);
    const V squares = hn::MulAdd(z, z, hn::MulSub(rho, rho, set(1)));
    piece.store(hn::MulSub(set(0.5F), squares, hn::Log(D(), rho)), cost);
  });
}

void gaussian_rows_backward(const GaussianInputs& in, const float* dr, const float* dcost,
                            float* dposterior, float* dprior) {
  const TwoHalves q(in.posterior, in.rows, in.dim);
  const TwoHalves p(in.prior, in.rows, in.dim);
  TwoHalves dq(in.rows, in.dim);
  TwoHalves dp(in.rows, in.dim);
  for_each_piece(in.rows * in.dim, [&](const Piece& piece) HWY_ATTR {
    const auto [s_q, slope_q] = scale_of(piece.load(q.right));
    const auto [s_p, slope_p] = scale_of(piece.load(p.right));
    const V gr = piece.load(dr);
    const V gc = piece.load(dcost);

    const V rho = hn::Div(s_q, s_p);
    const V excess = hn::MulSub(rho, rho, set(1));  // rho^2 - 1
    const V z = hn::Div(hn::Sub(piece.load(q.left), piece.load(p.left)), s_p);
    const V to_mean = hn::Mul(gc, hn::Div(z, s_p));
    const V to_s_q = hn::MulAdd(gr, piece.load(in.eps), hn::Mul(gc, hn::Div(excess, s_q)));
    const V to_s_p = hn::Mul(gc, hn::Div(hn::MulAdd(z, z, excess), s_p));  // negated

    piece.store(hn::Add(gr, to_mean), dq.left);
    piece.store(hn::Mul(to_s_q, slope_q), dq.right);
    piece.store(hn::Neg(to_mean), dp.left);
    piece.store(hn::Neg(hn::Mul(to_s_p, slope_p)), dp.right);
  });
  dq.write(dposterior);
  dp.write(dprior);
}

struct Gate {
  V cost, soft, hard;
};

HWY_INLINE Gate gate_of(V logit, V u) {
  const V bounded = at_most(at_least(u, 1e-6F), 1 - 1e-6F);
  const V odds_against = hn::Div(hn::Sub(set(1), bounded), bounded);
  const V e = bounded_exp(hn::Neg(logit));
  const V soft = hn::Div(set(1), hn::MulAdd(e, odds_against, set(1)));
  const V hard = hn::IfThenElseZero(hn::Gt(soft, set(0.5F)), set(1));
  return {hn::Div(set(1), hn::Add(set(1), e)), soft, hn::IfThenElse(hn::IsNaN(soft), soft, hard)};
}

void gate_rows(const GateInputs& in, float* r, float* cost, float* gates) {
  const TwoHalves output(in.output, in.rows, in.dim);
  for_each_piece(in.rows * in.dim, [&](const Piece& piece) HWY_ATTR {
    const Gate gate = gate_of(piece.load(output.left), piece.load(in.u));
    piece.store(hn::Mul(gate.hard, piece.load(output.right)), r);
    piece.store(gate.cost, cost);
    piece.store(gate.hard, gates);
  });
}

void gate_rows_backward(const GateInputs& in, const float* dr, const float* dcost, float* doutput) {
  const TwoHalves output(in.output, in.rows, in.dim);
  TwoHalves gradient(in.rows, in.dim);
  for_each_piece(in.rows * in.dim, [&](const Piece& piece) HWY_ATTR {
    const Gate gate = gate_of(piece.load(output.left), piece.load(in.u));
    const auto slope = [](V y) HWY_ATTR { return hn::Mul(y, hn::Sub(set(1), y)); };
    const V gr = piece.load(dr);
    const V from_r = hn::Mul(hn::Mul(gr, piece.load(output.right)), slope(gate.soft));
    const V from_cost = hn::Mul(piece.load(dcost), slope(gate.cost));
    piece.store(hn::Add(from_r, from_cost), gradient.left);
    piece.store(hn::Mul(gr, gate.hard), gradient.right);
  });
  gradient.write(doutput);
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(gaussian_rows);
HWY_EXPORT(gaussian_rows_backward);
HWY_EXPORT(gate_rows);
HWY_EXPORT(gate_rows_backward);

/// Calls work(first row, number of rows) for blocks of about a thousand elements, on all threads.
/// Elements are independent, so the size of a block does not change any result.
template <class Work>
void for_each_block(int64_t rows, int64_t dim, const Work& work) {
  const int64_t block = std::max<int64_t>(1, 1024 / std::max<int64_t>(1, dim));
  parallel_for((rows + block - 1) / block,
               [&](int64_t i) { work(i * block, std::min(block, rows - i * block)); });
}

GaussianInputs part(const GaussianInputs& in, int64_t first, int64_t rows) {
  return {rows, in.dim, in.posterior + first * 2 * in.dim, in.prior + first * 2 * in.dim,
          in.eps + first * in.dim};
}

GateInputs part(const GateInputs& in, int64_t first, int64_t rows) {
  return {rows, in.dim, in.output + first * 2 * in.dim, in.u + first * in.dim};
}

}  // namespace

void gaussian_draw(const GaussianInputs& in, float* r, float* cost) {
  for_each_block(in.rows, in.dim, [&](int64_t first, int64_t rows) {
    const int64_t at = first * in.dim;
    ADASSL_DISPATCH(gaussian_rows)(part(in, first, rows), r + at, cost + at);
  });
}

void gaussian_draw_backward(const GaussianInputs& in, const float* dr, const float* dcost,
                            float* dposterior, float* dprior) {
  for_each_block(in.rows, in.dim, [&](int64_t first, int64_t rows) {
    const int64_t at = first * in.dim;
    ADASSL_DISPATCH(gaussian_rows_backward)
    (part(in, first, rows), dr + at, dcost + at, dposterior + 2 * at, dprior + 2 * at);
  });
}

void gate_draw(const GateInputs& in, float* r, float* cost, float* gates) {
  for_each_block(in.rows, in.dim, [&](int64_t first, int64_t rows) {
    const int64_t at = first * in.dim;
    ADASSL_DISPATCH(gate_rows)(part(in, first, rows), r + at, cost + at, gates + at);
  });
}

void gate_draw_backward(const GateInputs& in, const float* dr, const float* dcost, float* doutput) {
  for_each_block(in.rows, in.dim, [&](int64_t first, int64_t rows) {
    const int64_t at = first * in.dim;
    ADASSL_DISPATCH(gate_rows_backward)
    (part(in, first, rows), dr + at, dcost + at, doutput + 2 * at);
  });
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
