#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/data/mixing.h"
#include "adassl/nn/torch.h"

/// The paper's propositions 1 and 2, as numbers: a map between flat and spherical spaces turns
/// noise of one covariance into noise whose covariance depends on where one stands.
///   proposition 1   h: R^d -> S^k,  C(z) = J Sigma J^T
///   proposition 2   h: S^k -> R^d,  C(z) = Dh P_z Lambda^-1 P_z Dh^T,  P_z = I - z z^T
/// What is claimed, and what each control is for, stands in docs/THEORY.md. All in double; nothing
/// here trains: a trained encoder arrives as a Map.
namespace adassl::theory {

/// [B, n] -> [B, m]; row i of the result depends on row i of the argument alone.
using Map = std::function<Tensor(const Tensor&)>;

struct Claim {
  std::string proposition;  // "1", "2"
  std::string claim;        // "(a) largest |h^T J|"
  std::string map;          // what it was measured on
  double measured;
  std::string expected;  // "< 1e-10"
  bool passed;           // never for a number that is not one
};

bool all_passed(const std::vector<Claim>& claims);

// ---- Formulas ---------------------------------------------------------------------------------

/// dh/dz at each row of z, by autograd: [B, n] -> [B, m, n].
Tensor jacobian(const Map& h, const Tensor& z);

/// J Sigma J^T: [B, m, n], [n, n] -> [B, m, m].
Tensor pushed_covariance(const Tensor& jacobian, const Tensor& sigma);
/// P_z = I - z z^T for unit rows: [B, n] -> [B, n, n].
Tensor tangent_projector(const Tensor& z);
/// J P_z Sigma P_z J^T: [B, m, n], [B, n], [n, n] -> [B, m, m].
Tensor tangent_covariance(const Tensor& jacobian, const Tensor& z, const Tensor& sigma);

/// V = mean_i |X_i - Xbar| / |Xbar|, Frobenius norms, for X of any shape: [B, ...].
double dispersion(const Tensor& values);

/// Between the column spaces of a and b, each of full column rank: [B, m, d] twice -> [B, d], in
/// radians and ascending. Small angles come from sines, where cosines lose half of the digits.
Tensor principal_angles(const Tensor& a, const Tensor& b);

/// A law of N equally likely points, symmetric about 0, whose covariance is `sigma` to the last
/// digit: [N, n]. The propositions ask no more of the noise, so covariances under this law need no
/// sampling, and what separates them from J Sigma J^T is the curvature of h alone.
Tensor symmetric_noise(int64_t count, const Tensor& sigma, const random::Stream& stream);

/// |Cov[h(z + s eps)] / s^2 - C(z)| / |C(z)| for each row of z, Frobenius norms: [B].
Tensor covariance_errors(const Map& h, const Tensor& z, const Tensor& noise, double s,
                         const Tensor& expected);

// ---- Maps -------------------------------------------------------------------------------------

enum class Activation { kLeaky, kSmooth };

/// The project's mixing g in double, or the same weights below a smooth LeakyReLU,
/// slope x + (1 - slope) softplus(x).
Map mixing_map(const data::Mixing& mixing, int64_t activations, double slope,
               Activation activation);
/// The project's encoder as it is before training: 4 hidden layers of 100, LeakyReLU(0.01).
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

/// Where a map is looked at, and the noise there.
struct Setting {
  Tensor z;      // [B, n]
  Tensor sigma;  // [n, n]
  Tensor noise;  // [N, n], of covariance sigma
};

/// At which scales s of the noise C(z) is compared with the covariance of h(z + s eps), and as
/// which power of s the error must fall at least, at the median z. A smooth map has order 2. A kink
/// within reach of the noise spoils the derivative there; the smaller s, the fewer points have one.
struct Regularity {
  std::array<double, 4> scales;
  double least_order;
};
inline constexpr Regularity kSmooth{{0.1, 0.03, 0.01, 0.003}, 1.5};
inline constexpr Regularity kKinked{{1e-2, 1e-3, 1e-4, 1e-5}, 1.0};

/// Proposition 1, (a) to (e), for a map that should end on a sphere.
std::vector<Claim> check_map_to_sphere(const std::string& name, const Map& h,
                                       const Setting& setting, const Regularity& regularity);
/// Control: trace and eigenvalues of C are constant, and yet the matrix is not.
std::vector<Claim> check_rotation(const std::string& name, const Map& h, const Setting& setting);
/// Control: C is one matrix, and the range of J one subspace.
std::vector<Claim> check_flat(const std::string& proposition, const std::string& name, const Map& h,
                              const Setting& setting);
/// Control: J has less than full rank, because h leaves out what proposition 1 needs.
std::vector<Claim> check_rank_deficient(const std::string& name, const Map& h,
                                        const Setting& setting);

/// Proposition 2, for z on the sphere; (b) rank, (c) and (d).
std::vector<Claim> check_map_of_sphere(const std::string& name, const Map& h,
                                       const Setting& setting, const Regularity& regularity);
/// Control: a map of the sphere that keeps C constant all the same.
std::vector<Claim> check_exception(const std::string& name, const Map& h, const Setting& setting);

// ---- All of it --------------------------------------------------------------------------------

/// Noise with a covariance that is neither a multiple of I nor diagonal, about the given points.
Setting setting_at(const Tensor& z, const random::Stream& stream);
/// The maps and controls above on 10 latents; without the trained encoder.
std::vector<Claim> check_first_proposition(uint64_t seed);
std::vector<Claim> check_second_proposition(uint64_t seed);

}  // namespace adassl::theory
