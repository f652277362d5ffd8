#include "adassl/theory/theory.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/nn/tensors.h"
#include "support/error_message.h"

namespace adassl::theory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kTight = 1e-12;
const Tensor kDouble = torch::empty({0}, torch::kFloat64);

Tensor normal(int64_t rows, int64_t columns, const std::string& purpose) {
  return nn::normal(rows, columns, {7, purpose}, kDouble);
}

/// 0, 2 pi / count, ...: trigonometric means over it are exact.
Tensor even_angles(int64_t count) {
  return torch::arange(count, torch::kFloat64) *
         (2 * std::numbers::pi / static_cast<double>(count));
}

/// All pairs of even angles: [count^2, 2].
Tensor even_torus(int64_t count) {
  const auto grid = torch::meshgrid({even_angles(count), even_angles(count)}, "ij");
  return torch::stack({grid[0].flatten(), grid[1].flatten()}, 1);
}

/// +-e_1, ..., +-e_n: their mean projector is (1 - 1/n) I exactly.
Tensor axes(int64_t n) {
  const Tensor e = torch::eye(n, torch::kFloat64);
  return torch::cat({e, -e});
}

double distance(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

Tensor itself(const Tensor& z) { return z.clone(); }

Setting flat_setting(int64_t n) {
  return setting_at(normal(64, n, "points"), random::Stream(7, "setting"));
}

Setting spherical_setting(int64_t n) {
  const Tensor inverse_lambda = torch::eye(n, torch::kFloat64);
  return {nn::normalise(normal(64, n, "points")), inverse_lambda,
          symmetric_noise(256, inverse_lambda, {7, "noise"})};
}

Map smooth_map_to_sphere(int64_t in, int64_t out) {
  return after(&nn::normalise, smooth_network(in, out, {7, "network"}));
}

/// The letters of the claims that failed: {"(a)", "(d)"}.
std::vector<std::string> failures(const std::vector<Claim>& claims) {
  std::vector<std::string> out;
  for (const Claim& claim : claims) {
    const std::string letter = claim.claim.substr(0, 3);
    if (!claim.passed && (out.empty() || out.back() != letter)) out.push_back(letter);
  }
  return out;
}

// ---- Formulas ---------------------------------------------------------------------------------

TEST(Jacobian, OfALinearMapIsItsMatrix) {
  const Tensor a = normal(3, 2, "a");
  const Tensor j = jacobian([&](const Tensor& z) { return z.matmul(a.t()); }, normal(5, 2, "z"));
  EXPECT_EQ(j.sizes(), (std::vector<int64_t>{5, 3, 2}));
  EXPECT_LT(distance(j, a.expand({5, 3, 2})), kTight);
}

TEST(Jacobian, OfTheGreatCircleIsItsTangent) {
  const Tensor u = even_angles(8).unsqueeze(1);
  EXPECT_LT(distance(jacobian(&great_circle, u).squeeze(2), torch::cat({-u.sin(), u.cos()}, 1)),
            kTight);
}

TEST(Jacobian, IsThereEvenWhereGradientsAreOff) {
  const torch::NoGradGuard no_grad;
  EXPECT_LT(distance(jacobian(&itself, normal(2, 3, "z")), torch::eye(3, torch::kFloat64)), kTight);
}

TEST(Jacobian, RefusesAMapThatDropsRows) {
  const auto sum = [](const Tensor& z) { return z.sum(0, /*keepdim=*/true); };
  EXPECT_THAT(testing::error_of([&] { jacobian(sum, normal(4, 2, "z")); }), HasSubstr("4 rows"));
}

TEST(PushedCovariance, OfTheGreatCircleIsTheTangentsOuterProduct) {
  const Tensor u = even_angles(8);
  const Tensor c = pushed_covariance(jacobian(&great_circle, u.unsqueeze(1)),
                                     torch::ones({1, 1}, torch::kFloat64));
  const Tensor sin = u.sin();
  const Tensor cos = u.cos();
  const Tensor expected =
      torch::stack({sin * sin, -sin * cos, -sin * cos, cos * cos}, 1).view({8, 2, 2});
  EXPECT_LT(distance(c, expected), kTight);
}

TEST(TangentCovariance, OfTheIdentityWithUnitNoiseIsTheProjector) {
  const Tensor z = nn::normalise(normal(6, 4, "z"));
  const Tensor c = tangent_covariance(jacobian(&itself, z), z, torch::eye(4, torch::kFloat64));
  EXPECT_LT(distance(c, tangent_projector(z)), kTight);
  EXPECT_LT(c.matmul(z.unsqueeze(2)).abs().max().item<double>(), kTight);
}

TEST(TangentCovariance, IsThePushedCovarianceOfTheMapAfterNormalising) {
  const Setting setting = spherical_setting(4);
  const Map h = smooth_network(4, 5, {7, "network"});
  const Tensor sigma = torch::linspace(0.5, 2, 4, torch::kFloat64).diag();
  EXPECT_LT(distance(tangent_covariance(jacobian(h, setting.z), setting.z, sigma),
                     pushed_covariance(jacobian(after(h, &nn::normalise), setting.z), sigma)),
            kTight);
}

TEST(Dispersion, IsZeroForOneValueAndOneForZeroAndTwo) {
  EXPECT_EQ(dispersion(torch::full({5, 2, 2}, 3.0, torch::kFloat64)), 0);
  EXPECT_DOUBLE_EQ(dispersion(torch::tensor({0.0, 2.0}, torch::kFloat64)), 1);
}

TEST(Dispersion, IsOneOnTheGreatCircle) {
  const Tensor j = jacobian(&great_circle, even_angles(12).unsqueeze(1));
  EXPECT_NEAR(dispersion(pushed_covariance(j, torch::ones({1, 1}, torch::kFloat64))), 1, kTight);
}

/// V^2 = 2 |Sigma|_F^2 / (Sigma_uu^2 + Sigma_vv^2) - 1, although all eigenvalues are constant.
TEST(Dispersion, OfTheCliffordTorusHasAClosedForm) {
  const Tensor j = jacobian(&clifford_torus, even_torus(12));
  for (const double covariance : {0.0, 0.5}) {
    const Tensor sigma =
        torch::tensor({1.0, covariance, covariance, 2.0}, torch::kFloat64).view({2, 2});
    const Tensor c = pushed_covariance(j, sigma);
    const double expected = std::sqrt(2 * (5 + 2 * covariance * covariance) / 5 - 1);
    EXPECT_NEAR(dispersion(c), expected, kTight);
    EXPECT_LT(dispersion(torch::linalg_eigvalsh(c)), kTight);
  }
}

TEST(Dispersion, OfTheSphereItselfIsOneOverRootK) {
  for (const int64_t k : {1, 2, 10}) {
    EXPECT_NEAR(dispersion(tangent_projector(axes(k + 1))), 1 / std::sqrt(k), kTight);
  }
}

TEST(PrincipalAngles, OfKnownPlanes) {
  for (const double angle : {0.0, 1e-9, 0.3, 1.2, std::numbers::pi / 2}) {
    // Two planes of R^3 that share an axis; neither basis is orthogonal.
    const Tensor a = torch::tensor({1.0, 5.0, 0.0, 2.0, 0.0, 0.0}, torch::kFloat64).view({1, 3, 2});
    const Tensor b =
        torch::tensor({3.0, 1.0, 0.0, std::cos(angle), 0.0, std::sin(angle)}, torch::kFloat64)
            .view({1, 3, 2});
    const Tensor angles = principal_angles(a, b);
    EXPECT_NEAR(angles[0][0].item<double>(), 0, 1e-14);
    EXPECT_NEAR(angles[0][1].item<double>(), angle, 1e-14);
  }
}

/// d-dimensional ranges in R^(d+1) are h's orthogonal complements: they turn as the line of h does.
TEST(PrincipalAngles, OfAMapToTheSphereAreThoseOfTheMapItself) {
  const Tensor z = normal(16, 4, "z");
  const Map h = smooth_map_to_sphere(4, 5);
  const Tensor j = jacobian(h, z);
  const Tensor out = h(z);
  const Tensor cosine = (out * out.roll(1, 0)).sum(1).abs();
  EXPECT_LT(distance(principal_angles(j, j.roll(1, 0)).select(1, 3), cosine.acos()), 1e-9);
}

TEST(SymmetricNoise, HasMeanZeroAndExactlyTheAskedCovariance) {
  const Setting setting = flat_setting(5);
  const Tensor& noise = setting.noise;
  EXPECT_LT(noise.mean(0).abs().max().item<double>(), kTight);
  EXPECT_LT(distance(noise.t().matmul(noise) / noise.size(0), setting.sigma), kTight);
}

TEST(SymmetricNoise, RefusesTooFewPoints) {
  EXPECT_THAT(testing::error_of([] {
                symmetric_noise(8, torch::eye(5, torch::kFloat64), {7, "noise"});
              }),
              HasSubstr("at least 20 points of noise, got 8"));
}

TEST(CovarianceErrors, AreRoundingForALinearMapAndOneHalfForTwiceItsCovariance) {
  const Setting setting = flat_setting(3);
  const Map h = linear_map(3, 4, {7, "linear"});
  const Tensor c = pushed_covariance(jacobian(h, setting.z), setting.sigma);
  EXPECT_LT(covariance_errors(h, setting.z, setting.noise, 0.1, c).max().item<double>(), kTight);
  EXPECT_LT(
      (covariance_errors(h, setting.z, setting.noise, 0.1, 2 * c) - 0.5).abs().max().item<double>(),
      kTight);
}

// ---- Maps -------------------------------------------------------------------------------------

TEST(MixingMap, IsTheMixingInDouble) {
  for (const int64_t activations : {2, 3}) {
    const data::MixingOptions options{.activations = activations, .candidates = 50};
    const data::Mixing mixing(4, options, {7, "mixing"});
    const Tensor z = normal(8, 4, "z").to(torch::kFloat32);
    Tensor x = torch::empty_like(z);
    for (int64_t i = 0; i < z.size(0); ++i) {
      mixing.apply({z[i].data_ptr<float>(), 4}, {x[i].data_ptr<float>(), 4});
    }
    const Map map = mixing_map(mixing, activations, options.slope, Activation::kLeaky);
    EXPECT_LT(distance(map(z.to(torch::kFloat64)), x.to(torch::kFloat64)), 1e-5);
  }
}

TEST(ArcLength, UndoesTheGreatCircle) {
  const Tensor u = even_angles(7).unsqueeze(1) - 3;
  EXPECT_LT(distance(arc_length(great_circle(u)), u), kTight);
}

// ---- Checks: each passes for what it is about, and fails for what it is not --------------------

TEST(MapToSphere, PassesForARandomNetwork) {
  EXPECT_THAT(
      failures(check_map_to_sphere("", smooth_map_to_sphere(3, 4), flat_setting(3), kSmooth)),
      IsEmpty());
}

TEST(MapToSphere, FailsForALinearMapPosingAsOne) {
  const auto claims =
      check_map_to_sphere("", linear_map(3, 4, {7, "linear"}), flat_setting(3), kSmooth);
  EXPECT_THAT(failures(claims), ElementsAre("(a)", "(d)", "(e)"));
}

TEST(MapToSphere, FailsOnRankWithoutTheExtraOutput) {
  const auto claims = check_map_to_sphere("", smooth_map_to_sphere(3, 3), flat_setting(3), kSmooth);
  // And on (e): three columns of R^3, whatever their rank, come with all of R^3 as their basis.
  EXPECT_THAT(failures(claims), ElementsAre("(b)", "(e)"));
}

TEST(MapToSphere, FailsOnCovarianceWhenPartOfTheMapIsHiddenFromTheJacobian) {
  const Map f = smooth_network(3, 4, {7, "network"});
  const Map h = [&](const Tensor& z) { return nn::normalise(0.9 * f(z) + 0.1 * f(z).detach()); };
  EXPECT_THAT(failures(check_map_to_sphere("", h, flat_setting(3), kSmooth)), ElementsAre("(c)"));
  EXPECT_THAT(failures(check_map_to_sphere("", h, flat_setting(3), kKinked)), ElementsAre("(c)"));
}

// What docs/THEORY.md says of the random LeakyReLU encoder: why (b) asks for rank alone and (c) for
// smaller noise there.
TEST(MapToSphere, OfKinkedNetworksFoldsAndHasKinksWithinReach) {
  for (const uint64_t seed : {1, 2, 3}) {
    const random::Stream stream(seed, "theory/first");
    const data::MixingOptions options{.candidates = 1000};
    const data::Mixing mixing(10, options, stream.named("mixing"));
    const Map g = mixing_map(mixing, options.activations, options.slope, Activation::kLeaky);
    const Map h = after(&nn::normalise, after(leaky_encoder(10, 11, seed), g));
    const Setting setting = setting_at(nn::normal(256, 10, stream.named("z"), kDouble), stream);

    const Tensor j = jacobian(h, setting.z);
    const Tensor sides = torch::linalg_det(torch::cat({h(setting.z).unsqueeze(2), j}, 2)).sign();
    EXPECT_EQ(sides.min().item<double>(), -1);
    EXPECT_EQ(sides.max().item<double>(), 1);

    const Tensor few = setting.z.slice(0, 0, 32);
    const Tensor expected = pushed_covariance(j.slice(0, 0, 32), setting.sigma);
    const double error =
        covariance_errors(h, few, setting.noise, 0.003, expected).mean().item<double>();
    EXPECT_GT(error, 0.025);  // rounds to 3 %
    EXPECT_LT(error, 0.075);

    const Tensor many = nn::normal(4096, 10, stream.named("z"), kDouble);
    const Tensor values = torch::linalg_svdvals(jacobian(h, many));
    const Tensor ratios = values.select(1, 9) / values.select(1, 0);
    const double among_16 = ratios.slice(0, 0, 16).min().item<double>();
    EXPECT_LT(ratios.min().item<double>(), among_16 / 100);
  }
}

TEST(MapToSphere, FailsOnCovarianceThatIsNoNumber) {
  Setting setting = flat_setting(3);
  setting.noise = setting.noise * std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(failures(check_map_to_sphere("", smooth_map_to_sphere(3, 4), setting, kSmooth)),
              ElementsAre("(c)"));
}

TEST(Rotation, PassesForTheTorusAndFailsForANetworkAndForAPlane) {
  const Setting setting = flat_setting(2);
  const Setting around = setting_at(even_torus(8), random::Stream(7, "setting"));
  EXPECT_THAT(failures(check_rotation("", &clifford_torus, around)), IsEmpty());
  EXPECT_FALSE(check_rotation("", smooth_map_to_sphere(2, 4), setting)[0].passed);
  EXPECT_FALSE(check_rotation("", smooth_map_to_sphere(2, 4), setting)[1].passed);
  EXPECT_THAT(failures(check_rotation("", linear_map(2, 4, {7, "linear"}), setting)),
              ElementsAre("(d)", "(e)"));
}

TEST(Flat, PassesForALinearMapAndFailsForTheTorus) {
  const Setting setting = flat_setting(2);
  EXPECT_THAT(failures(check_flat("1", "", linear_map(2, 4, {7, "linear"}), setting)), IsEmpty());
  EXPECT_THAT(failures(check_flat("1", "", &clifford_torus, setting)), ElementsAre("(d)", "(e)"));
}

TEST(RankDeficient, PassesWithoutTheExtraOutputAndWithoutBiasesAndFailsOtherwise) {
  const Setting setting = flat_setting(3);
  const Map homogeneous =
      after(&nn::normalise, [a = linear_map(3, 8, {7, "in"}), b = linear_map(8, 4, {7, "out"})](
                                const Tensor& z) { return b(a(z).relu() + 0.1 * a(z)); });
  EXPECT_THAT(failures(check_rank_deficient("", smooth_map_to_sphere(3, 3), setting)), IsEmpty());
  EXPECT_THAT(failures(check_rank_deficient("", homogeneous, setting)), IsEmpty());
  EXPECT_THAT(failures(check_rank_deficient("", smooth_map_to_sphere(3, 4), setting)),
              ElementsAre("(b)"));
}

TEST(MapOfSphere, PassesForIdentityLinearAndNetwork) {
  const Setting setting = spherical_setting(4);
  for (const Map& h :
       {Map(&itself), linear_map(4, 5, {7, "linear"}), smooth_network(4, 5, {7, "network"})}) {
    EXPECT_THAT(failures(check_map_of_sphere("", h, setting, kSmooth)), IsEmpty());
  }
}

TEST(MapOfSphere, FailsForArcLengthWhichIsTheException) {
  const Setting setting = spherical_setting(2);
  EXPECT_THAT(failures(check_map_of_sphere("", &arc_length, setting, kSmooth)), ElementsAre("(d)"));
  EXPECT_THAT(failures(check_exception("", &arc_length, setting)), IsEmpty());
  EXPECT_THAT(failures(check_exception("", &itself, setting)), ElementsAre("(d)"));
}

TEST(MapOfSphere, FailsOnRankForAMapThatForgetsDirections) {
  const Map first_two = [](const Tensor& z) { return z.slice(1, 0, 2).clone(); };
  EXPECT_THAT(failures(check_map_of_sphere("", first_two, spherical_setting(4), kSmooth)),
              ElementsAre("(b)"));
}

TEST(Theory, HoldsInAllItsClaimsAndRepeatsToTheLastBit) {
  const auto first = check_second_proposition(3);
  const auto again = check_second_proposition(3);
  EXPECT_TRUE(all_passed(check_first_proposition(3)));
  EXPECT_TRUE(all_passed(first));
  ASSERT_EQ(first.size(), again.size());
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].measured, again[i].measured);
}

TEST(Theory, NamesAMapOnceInItsTableAndCountsTheClaimsThatPass) {
  const std::vector<Claim> claims = {{"1", "(a) rank", "torus", 1.5, "> 1", true},
                                     {"1", "(b)", "torus", std::nan(""), "< 1e-10", false},
                                     {"2", "(c)", "line", 1.2345e-12, "< 1e-10", true}};
  EXPECT_EQ(table_of(claims),
            "prop  map    claim      measured  expected  verdict\n"
            "\n"
            "1     torus  (a) rank        1.5  > 1       pass\n"
            "             (b)             nan  < 1e-10   FAIL\n"
            "\n"
            "2     line   (c)        1.23e-12  < 1e-10   pass\n"
            "\n2 of 3 claims pass\n");
}

}  // namespace
}  // namespace adassl::theory
