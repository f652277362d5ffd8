#include <limits>

#include "kernels/mlp_reference.h"

namespace adassl::kernels {
namespace {

using Mode = MlpPass::Mode;

/// Draws cases until the gradient is defined (no pre-activation lies within 1e-4 of a kink) and
/// float32 can represent it.
MlpCase random_case(int seed, MlpSizes sizes = {}) {
  Draws draw(seed);
  for (int attempt = 0;; ++attempt) {
    if (attempt == 5) sizes = {.widths = {1, 5, 6, 7}, .rows = {1, 2, 5}};
    MlpCase c = draw_case(draw, sizes);
    c.what = "case " + std::to_string(seed) + ": " + c.what;
    if (MlpReference<double>(c).forward(Mode::kTraining, &c)) return c;
  }
}

struct Truth {
  MlpReference<double> exact;
  MlpReference<float> plain;
  Truth(const MlpCase& c, Mode mode) : exact(c), plain(c) {
    exact.forward(mode);
    plain.forward(mode);
    if (mode == Mode::kInference) return;
    exact.backward();
    plain.backward();
  }
};

/// Within 1e-5 of the norm. Where float32 cannot reach that, as for sums that nearly cancel: within
/// a few times the error of the plain formulas in float32.
void expect_close(const Floats& ours, const std::vector<double>& exact, const Floats& plain,
                  const std::string& what, double floor = 0) {
  const double inevitable = relative_error(plain, exact, floor);
  EXPECT_LT(relative_error(ours, exact, floor), std::max(1e-5, 5 * inevitable)) << what;
}

void expect_exact(const MlpCase& c, const MlpAnswer& answer) {
  const auto [exact, plain] = Truth(c, Mode::kTraining);
  for (size_t v = 0; v < c.rows.size(); ++v) {
    const std::string what = c.what + " (view " + std::to_string(v) + ") ";
    expect_close(answer.y[v], exact.y[v], plain.y[v], what + "y");
    // If a norm makes the gradient of a view almost vanish, its error is compared with the gradient
    // of the first view, per sample.
    const double samples = static_cast<double>(c.rows[v]) / static_cast<double>(c.rows[0]);
    const double floor = norm_of(exact.x[0]) * std::sqrt(samples) * (c.rows[v] < 8 ? 1 : 0.1);
    if (c.wants_x[v]) expect_close(answer.x[v], exact.x[v], plain.x[v], what + "x", floor);
  }
  for (size_t l = 0; l < c.layers.size(); ++l) {
    const std::string what = c.what + " (layer " + std::to_string(l) + ") ";
    // A norm cancels the effect of a bias before it, and of the scale of a single feature before
    // that. Such gradients are only rounding errors, and small compared with the layer's other
    // gradients.
    double square = 0;
    for (const auto* part : {&exact.weight, &exact.bias, &exact.gain, &exact.shift}) {
      square += norm_of((*part)[l]) * norm_of((*part)[l]);
    }
    const double floor = 0.1 * std::sqrt(square);
    if (c.wants_weight[l]) {
      expect_close(answer.weight[l], exact.weight[l], plain.weight[l], what + "weight", floor);
      expect_close(answer.shift[l], exact.shift[l], plain.shift[l], what + "shift", floor);
    }
    expect_close(answer.bias[l], exact.bias[l], plain.bias[l], what + "bias", floor);
    expect_close(answer.gain[l], exact.gain[l], plain.gain[l], what + "gain", floor);
    // A mean may be close to zero, so its error is compared with the values, which are of order 1.
    const double size = 0.1 * std::sqrt(static_cast<double>(c.layers[l].out));
    EXPECT_LT(relative_error(answer.running_mean[l], exact.running_mean[l], size), 1e-5) << what;
    EXPECT_LT(relative_error(answer.running_var[l], exact.running_var[l]), 1e-5) << what;
  }
}

TEST(Mlp, EqualsItsDefinitionInValueAndGradient) {
  MlpPass pass;  // shared, to show that a case does not affect the next one
  for (int seed = 0; seed < cases(200); ++seed) {
    const MlpCase c = random_case(seed);
    expect_exact(c, run(c, pass));
    if (HasFailure()) break;
  }
}

TEST(Mlp, EqualsItsDefinitionWhenATaskHasSeveralGroups) {
  const MlpSizes sizes{.widths = {5, 7}, .rows = {9000, 11'111}, .most_layers = 3};
  for (int seed = 0; seed < 3; ++seed) {
    const MlpCase c = random_case(seed, sizes);
    expect_exact(c, run(c));
  }
}

// Wide layers, which are divided into slices, and few samples.
const MlpSizes kWide{
    .widths = {131, 132, 133, 270, 400}, .rows = {9, 64, 130}, .most_layers = 3, .most_views = 2};

TEST(Mlp, EqualsItsDefinitionWhenLayersAreWide) {
  MlpPass pass;
  for (int seed = 0; seed < 5; ++seed) {
    const MlpCase c = random_case(seed, kWide);
    expect_exact(c, run(c, pass));
  }
}

TEST(Mlp, InInferenceUsesTheRunningStatisticsAndLeavesThemAlone) {
  MlpPass pass;
  for (int seed = 0; seed < cases(50); ++seed) {
    Draws draw(seed);
    const MlpCase c = draw_case(draw);
    const MlpAnswer answer = run(c, pass, Mode::kInference);
    const auto [exact, plain] = Truth(c, Mode::kInference);
    for (size_t v = 0; v < c.rows.size(); ++v) {
      expect_close(answer.y[v], exact.y[v], plain.y[v], c.what);
    }
    for (size_t l = 0; l < c.layers.size(); ++l) {
      EXPECT_EQ(answer.running_mean[l], c.layers[l].running_mean) << c.what;
      EXPECT_EQ(answer.running_var[l], c.layers[l].running_var) << c.what;
    }
    if (HasFailure()) break;
  }
}

TEST(Mlp, WithoutNormIsTheSameInTrainingAndInference) {
  for (int seed = 0; seed < 20; ++seed) {
    Draws draw(seed);
    MlpCase c = draw_case(draw);
    for (PlainLayer& layer : c.layers) layer.gain.clear();
    EXPECT_EQ(run(c, Mode::kTraining).y, run(c, Mode::kInference).y) << c.what;
  }
}

TEST(Mlp, GivesEachViewWhatItGetsAlone) {
  for (int seed = 0; seed < 50; ++seed) {
    Draws draw(seed);
    const MlpCase c = draw_case(draw);
    const MlpAnswer together = run(c);
    MlpCase alone = c;  // one view at a time, by a network that keeps its running statistics
    for (size_t v = 0; v < c.rows.size(); ++v) {
      alone.rows = {c.rows[v]};
      alone.x = {c.x[v]};
      alone.y_gradients = {c.y_gradients[v]};
      alone.wants_x = {c.wants_x[v]};
      const MlpAnswer answer = run(alone);
      EXPECT_EQ(answer.y[0], together.y[v]) << c.what;
      EXPECT_EQ(answer.x[0], together.x[v]) << c.what;
      for (size_t l = 0; l < c.layers.size(); ++l) {
        alone.layers[l].running_mean = answer.running_mean[l];
        alone.layers[l].running_var = answer.running_var[l];
      }
    }
    for (size_t l = 0; l < c.layers.size(); ++l) {
      EXPECT_EQ(alone.layers[l].running_mean, together.running_mean[l]) << c.what;
      EXPECT_EQ(alone.layers[l].running_var, together.running_var[l]) << c.what;
    }
  }
}

TEST(Mlp, HasTheSameBitsForAnyNumberOfThreads) {
  const MlpSizes large{.rows = {65, 700, 1111}};
  for (int seed = 0; seed < 10; ++seed) {
    Draws draw(seed);
    const MlpCase c = draw_case(draw, large);
    expect_same_bits_for_any_threads([&] { return run(c); });
    const MlpCase wide = draw_case(draw, kWide);
    expect_same_bits_for_any_threads([&] { return run(wide); });
  }
}

TEST(Mlp, HasTheSameBitsWhateverItsMemoryWasUsedFor) {
  for (int seed = 0; seed < 20; ++seed) {
    Draws draw(seed);
    const MlpCase c = draw_case(draw, {.rows = {1, 2, 65, 0}});
    MlpCase larger = draw_case(draw, {.widths = {130}, .rows = {700}});
    const MlpAnswer fresh = run(c);
    MlpPass pass;
    EXPECT_EQ(run(c, pass), fresh) << c.what;
    EXPECT_EQ(run(c, pass), fresh) << c.what << ", again";
    const int64_t bytes = pass.bytes();
    run(c, pass);
    EXPECT_EQ(pass.bytes(), bytes) << c.what;
    for (Floats& x : larger.x) x.back() = std::numeric_limits<float>::quiet_NaN();
    run(larger, pass);
    EXPECT_EQ(run(c, pass), fresh) << c.what << ", after " << larger.what;
  }
}

TEST(Mlp, HasTheSameBitsWhicheverGradientsAreWanted) {
  for (int seed = 0; seed < 20; ++seed) {
    Draws draw(seed);
    const MlpCase some = draw_case(draw);
    MlpCase all = some;
    all.wants_x.assign(all.rows.size(), true);
    all.wants_weight.assign(all.layers.size(), true);
    const MlpAnswer few = run(some);
    const MlpAnswer many = run(all);
    EXPECT_EQ(few.bias, many.bias) << some.what;
    for (size_t v = 0; v < some.rows.size(); ++v) {
      const bool wanted = some.wants_x[v];
      EXPECT_EQ(few.x[v], wanted ? many.x[v] : Floats{}) << some.what;
    }
    for (size_t l = 0; l < some.layers.size(); ++l) {
      const bool wanted = some.wants_weight[l];
      EXPECT_EQ(few.weight[l], wanted ? many.weight[l] : Floats{}) << some.what;
    }
  }
}

TEST(Mlp, IsNotFiniteWhenAnInputOrAWeightIsNot) {
  for (const float slope : {0.0F, 0.2F}) {
    Draws draw(3);
    MlpCase c = draw_case(draw, {.widths = {7}, .rows = {70}, .most_views = 1});
    while (c.layers.size() < 3 || c.layers[0].norm())
      c = draw_case(draw, {.widths = {7}, .rows = {70}});
    for (PlainLayer& layer : c.layers) layer.slope = slope;
    c.layers.back().slope = 1;
    MlpCase input = c;
    input.x[0][0] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(std::isfinite(run(input).y[0][0])) << "slope " << slope;
    MlpCase weight = c;
    weight.layers[0].weight[0] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(std::isfinite(run(weight).y[0][0])) << "slope " << slope;
  }
}

}  // namespace
}  // namespace adassl::kernels
