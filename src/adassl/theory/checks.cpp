#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "adassl/nn/tensors.h"
#include "adassl/theory/theory.h"

namespace adassl::theory {
namespace {

constexpr double kZero = 1e-10;      // bound on values that are 0 in exact arithmetic
constexpr double kZeroAngle = 1e-7;  // radians
constexpr double kRank = 1e-12;      // ratio of singular values; smaller ones are rounding errors
constexpr double kVaries = 0.05;     // a larger dispersion counts as variation
constexpr double kTurns = 0.01;      // radians
constexpr double kRotates = 0.5;     // dispersions of the circle and the torus, which are near 1
constexpr double kCovarianceError = 0.05;
constexpr double kArrived = 1e-9;  // smaller covariance errors may be due to rounding alone
constexpr int64_t kCovariancePoints = 32;

/// Collects the claims about one map.
class Claims {
 public:
  Claims(std::string proposition, std::string map)
      : proposition_(std::move(proposition)), map_(std::move(map)) {}

  void below(const std::string& claim, double measured, double bound) {
    add(claim, measured, fmt::format("< {:g}", bound), measured < bound);
  }
  void above(const std::string& claim, double measured, double bound) {
    add(claim, measured, fmt::format("> {:g}", bound), measured > bound);
  }
  std::vector<Claim> take() { return std::move(claims_); }

 private:
  void add(const std::string& claim, double measured, std::string expected, bool passed) {
    claims_.push_back({proposition_, claim, map_, measured, std::move(expected), passed});
  }

  std::string proposition_;
  std::string map_;
  std::vector<Claim> claims_;
};

/// The singular value number `rank` divided by the largest one, for each matrix of [B, m, n].
Tensor conditioning(const Tensor& matrices, int64_t rank) {
  const Tensor values = torch::linalg_svdvals(matrices);  // descending
  if (rank > values.size(1)) return torch::zeros({values.size(0)}, values.options());
  return values.select(1, rank - 1) / values.select(1, 0);
}

double least(const Tensor& values) { return values.min().item<double>(); }
double largest(const Tensor& values) { return values.max().item<double>(); }

/// The mean over pairs (z, z') of the largest angle between the ranges of J(z) and J(z').
double mean_turn(const Tensor& j) {
  const Tensor angles = principal_angles(j, j.roll(1, 0));
  return angles.select(1, angles.size(1) - 1).mean().item<double>();
}

/// (c): the error is small at the smallest scale and falls as a power of s. The claim is about
/// almost every z, so the order is that of the median error: in the mean, a few z near a kink would
/// hide it.
void check_covariance(Claims& claims, const Map& h, const Setting& setting, const Tensor& c,
                      const Regularity& regularity) {
  const Tensor z = setting.z.slice(0, 0, kCovariancePoints);
  const auto& scales = regularity.scales;
  Tensor errors;  // [B], at the current scale
  double median = 0;
  double order = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < scales.size(); ++i) {
    errors = covariance_errors(h, z, setting.noise, scales[i], c);
    const double before = std::exchange(median, errors.median().item<double>());
    if (i == 0 || (before < kArrived && median < kArrived)) continue;
    const double step = std::log(before / median) / std::log(scales[i - 1] / scales[i]);
    order = std::isnan(step) ? step : std::min(order, step);
  }
  claims.below(fmt::format("(c) mean error of C, s = {:g}", scales.back()),
               errors.mean().item<double>(), kCovarianceError);
  claims.above("(c) its least order in s, median", order, regularity.least_order);
}

}  // namespace

bool all_passed(const std::vector<Claim>& claims) {
  return std::all_of(claims.begin(), claims.end(), [](const Claim& claim) { return claim.passed; });
}

std::vector<Claim> check_map_to_sphere(const std::string& name, const Map& h,
                                       const Setting& setting, const Regularity& regularity) {
  Claims claims("1", name);
  const Tensor j = jacobian(h, setting.z);
  const Tensor c = pushed_covariance(j, setting.sigma);
  const Tensor out = h(setting.z).detach();
  claims.below("(a) largest |h^T J|", largest(out.unsqueeze(1).matmul(j).abs()), kZero);
  claims.above("(b) rank d: least s_d / s_1", least(conditioning(j, j.size(2))), kRank);
  check_covariance(claims, h, setting, c, regularity);
  claims.above("(d) dispersion V of C", dispersion(c), kVaries);
  claims.above("(e) mean largest angle of ranges", mean_turn(j), kTurns);
  return claims.take();
}

std::vector<Claim> check_rotation(const std::string& name, const Map& h, const Setting& setting) {
  Claims claims("1", name);
  const Tensor j = jacobian(h, setting.z);
  const Tensor c = pushed_covariance(j, setting.sigma);
  const Tensor variances = c.diagonal(0, 1, 2);
  claims.below("(d) control: dispersion of tr C", dispersion(variances.sum(1)), kZero);
  claims.below("(d) control: of C's eigenvalues", dispersion(torch::linalg_eigvalsh(c)), kZero);
  claims.above("(d) dispersion V of C", dispersion(c), kRotates);
  claims.above("(d) dispersion of C's diagonal", dispersion(variances), kRotates);
  claims.above("(e) mean largest angle of ranges", mean_turn(j), kRotates);
  return claims.take();
}

std::vector<Claim> check_flat(const std::string& proposition, const std::string& name, const Map& h,
                              const Setting& setting) {
  Claims claims(proposition, name);
  const Tensor j = jacobian(h, setting.z);
  claims.below("(d) control: dispersion V of C", dispersion(pushed_covariance(j, setting.sigma)),
               kZero);
  claims.below("(e) control: mean largest angle", mean_turn(j), kZeroAngle);
  return claims.take();
}

std::vector<Claim> check_rank_deficient(const std::string& name, const Map& h,
                                        const Setting& setting) {
  Claims claims("1", name);
  const Tensor j = jacobian(h, setting.z);
  claims.below("(b) control: largest s_d / s_1", largest(conditioning(j, j.size(2))), kRank);
  return claims.take();
}

std::vector<Claim> check_map_of_sphere(const std::string& name, const Map& h,
                                       const Setting& setting, const Regularity& regularity) {
  Claims claims("2", name);
  const Tensor j = jacobian(h, setting.z);
  const Tensor tangent = j.matmul(tangent_projector(setting.z));
  const Tensor c = tangent_covariance(j, setting.z, setting.sigma);
  const int64_t k = setting.z.size(1) - 1;
  claims.above("(b) rank k: least s_k / s_1", least(conditioning(tangent, k)), kRank);
  claims.below("(b) not k + 1: largest s_k+1 / s_1", largest(conditioning(tangent, k + 1)), kRank);
  check_covariance(claims, after(h, &nn::normalise), setting, c, regularity);
  claims.above("(d) dispersion V of C", dispersion(c), kVaries);
  return claims.take();
}

std::vector<Claim> check_exception(const std::string& name, const Map& h, const Setting& setting) {
  Claims claims("2", name);
  const Tensor j = jacobian(h, setting.z);
  const Tensor tangent = j.matmul(tangent_projector(setting.z));
  claims.above("(b) rank k: least s_k / s_1", least(conditioning(tangent, setting.z.size(1) - 1)),
               kRank);
  claims.below("(d) control: dispersion V of C",
               dispersion(tangent_covariance(j, setting.z, setting.sigma)), kZero);
  return claims.take();
}

}  // namespace adassl::theory
