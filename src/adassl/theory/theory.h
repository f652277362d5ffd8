#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/data/mixing.h"
#include "adassl/nn/torch.h"

/// Numerical checks of the paper's propositions 1 and 2: a map between flat and spherical spaces
/// turns noise of constant covariance into noise whose covariance depends on the point.
///   proposition 1   h: R^d -> S^k,  C(z) = J Sigma J^T
///   proposition 2   h: S^k -> R^d,  C(z) = Dh P_z Lambda^-1 P_z Dh^T,  P_z = I - z z^T
/// docs/THEORY.md states the claims and the purpose of each control. Everything is computed in
/// double precision. Nothing is trained here: a trained encoder is passed in as a Map.
namespace adassl::theory {

/// [B, n] -> [B, m]; row i of the result depends on row i of the argument alone.
using Map = std::function<Tensor(const Tensor&)>;

struct Claim {
  std::string proposition;  // "1", "2"
  std::string claim;        // "(a) largest |h^T J|"
  std::string map;          // the name of the map that was measured
  double measured;
  std::string expected;  // "< 1e-10"
  bool passed;           // false if `measured` is NaN
};

bool all_passed(const std::vector<Claim>& claims);

/// The claims for the terminal: a map's name stands at the first of its claims alone, and the last
/// line counts those that pass.
std::string table_of(const std::vector<Claim>& claims);

// ---- Formulas ---------------------------------------------------------------------------------

/// dh/dz at each row of z, by autograd: [B, n] -> [B, m, n].
Tensor jacobian(const Map& h, const Tensor& z);

/// J Sigma J^T: [B, m, n], [n, n] -> [B, m, m].
Tensor pushed_covariance(const Tensor& jacobian, const Tensor& sigma);
/// P_z = I - z z^T for unit rows: [B, n] -> [B, n, n].
Tensor tangent_projector(const Tensor& z);
/// J P_z Sigma P_z J^T: [B, m, n], [B, n], [n, n] -> [B, m, m].
Tensor tangent_covariance(const Tensor& jacobian, const Tensor& z, const Tensor& sigma);

/// V = mean_i |X_i - Xbar| / |Xbar| with Frobenius norms, for X of any shape: [B, ...].
double dispersion(const Tensor& values);

/// The principal angles between the column spaces of a and b, which have full column rank: [B, m,
/// d] twice -> [B, d], in radians, in ascending order. Small angles are computed from sines,
/// because cosines would lose half of the digits.
Tensor principal_angles(const Tensor& a, const Tensor& b);

/// A distribution of N equally likely points, symmetric about 0, whose covariance is `sigma` up to
/// rounding: [N, n]. The propositions require no more of the noise. Covariances under this
/// distribution have no sampling error, so their difference from J Sigma J^T is due to the
/// curvature of h alone.
Tensor symmetric_noise(int64_t count, const Tensor& sigma, const random::Stream& stream);

/// |Cov[h(z + s eps)] / s^2 - C(z)| / |C(z)| with Frobenius norms, for each row of z: [B].
Tensor covariance_errors(const Map& h, const Tensor& z, const Tensor& noise, double s,
                         const Tensor& expected);

// ---- Maps -------------------------------------------------------------------------------------

enum class Activation { kLeaky, kSmooth };

/// The project's mixing g in double precision; with kSmooth, LeakyReLU is replaced by its smooth
/// version slope x + (1 - slope) softplus(x).
Map mixing_map(const data::Mixing& mixing, int64_t activations, double slope,
               Activation activation);
/// The project's encoder before training: 4 hidden layers of 100 with LeakyReLU(0.01).
Map leaky_encoder(int64_t in, int64_t out, uint64_t seed);
/// Two hidden layers of 64 with tanh.
Map smooth_network(int64_t in, int64_t out, const random::Stream& stream);
/// z -> A z, entries of A from N(0, 1).
Map linear_map(int64_t in, int64_t out, const random::Stream& stream);
/// (cos u, sin u, cos v, sin v) / sqrt(2) in S^3.
Tensor clifford_torus(const Tensor& angles);
/// (cos u, sin u): all of S^1.
Tensor great_circle(const Tensor& angle);
/// The inverse of the great circle, on S^1 without (-1, 0).
Tensor arc_length(const Tensor& z);
/// z -> outer(inner(z)).
Map after(Map outer, Map inner);

// ---- Checks -----------------------------------------------------------------------------------

/// The points at which a map is examined, and the noise around them.
struct Setting {
  Tensor z;      // [B, n]
  Tensor sigma;  // [n, n]
  Tensor noise;  // [N, n], with covariance sigma
};

/// The scales s of the noise at which C(z) is compared with the covariance of h(z + s eps), and the
/// least power of s with which the error has to fall, at the median z. For a smooth map the order
/// is 2. At a point with a kink within reach of the noise, the derivative does not describe the
/// map; the smaller s is, the fewer such points there are.
struct Regularity {
  std::array<double, 4> scales;
  double least_order;
};
inline constexpr Regularity kSmooth{{0.1, 0.03, 0.01, 0.003}, 1.5};
inline constexpr Regularity kKinked{{1e-2, 1e-3, 1e-4, 1e-5}, 1.0};

/// Proposition 1, (a) to (e), for a map into a sphere.
std::vector<Claim> check_map_to_sphere(const std::string& name, const Map& h,
                                       const Setting& setting, const Regularity& regularity);
/// Control: the trace and the eigenvalues of C are constant, but C itself is not.
std::vector<Claim> check_rotation(const std::string& name, const Map& h, const Setting& setting);
/// Control: C and the range of J are constant.
std::vector<Claim> check_flat(const std::string& proposition, const std::string& name, const Map& h,
                              const Setting& setting);
/// Control: J does not have full rank, because h violates an assumption of proposition 1.
std::vector<Claim> check_rank_deficient(const std::string& name, const Map& h,
                                        const Setting& setting);

/// Proposition 2, claims (b), (c) and (d), for z on the sphere.
std::vector<Claim> check_map_of_sphere(const std::string& name, const Map& h,
                                       const Setting& setting, const Regularity& regularity);
/// Control: a map of the sphere for which C is constant nevertheless.
std::vector<Claim> check_exception(const std::string& name, const Map& h, const Setting& setting);

// ---- All of it --------------------------------------------------------------------------------

/// The given points, and noise with a covariance that is neither diagonal nor a multiple of I.
Setting setting_at(const Tensor& z, const random::Stream& stream);
/// Checks the maps and controls above, without a trained encoder.
std::vector<Claim> check_first_proposition(uint64_t seed);
std::vector<Claim> check_second_proposition(uint64_t seed);

}  // namespace adassl::theory
