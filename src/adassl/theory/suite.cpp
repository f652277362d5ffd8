#include <numbers>

#include "adassl/nn/tensors.h"
#include "adassl/theory/theory.h"

namespace adassl::theory {
namespace {

constexpr int64_t kLatents = 10;  // d of proposition 1: as in the paper's numerical data
constexpr int64_t kSphere = 5;    // k of proposition 2
constexpr int64_t kOut = 8;       // d of proposition 2
constexpr int64_t kPoints = 256;
constexpr int64_t kNoisePoints = 2048;
constexpr data::MixingOptions kMixing{.candidates = 1000};

Tensor gaussian(int64_t columns, const random::Stream& stream) {
  return nn::normal(kPoints, columns, stream, torch::empty({0}, torch::kFloat64));
}

Tensor angles(int64_t columns, const random::Stream& stream) {
  const Tensor in_01 = nn::uniform(kPoints, columns, stream, torch::empty({0}, torch::kFloat64));
  return 2 * std::numbers::pi * in_01;
}

Map sphere_map(const Map& f, const Map& g) { return after(&nn::normalise, after(f, g)); }

void append(std::vector<Claim>& claims, std::vector<Claim> more) {
  claims.insert(claims.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

/// Unit rows, and noise with the covariance Lambda^-1 = diag(0.5 ... 1.5).
Setting on_sphere(const random::Stream& stream) {
  const Tensor z = nn::normalise(gaussian(kSphere + 1, stream.named("z")));
  const Tensor inverse_lambda = torch::linspace(0.5, 1.5, kSphere + 1, torch::kFloat64).diag();
  return {z, inverse_lambda, symmetric_noise(kNoisePoints, inverse_lambda, stream.named("noise"))};
}

}  // namespace

Setting setting_at(const Tensor& z, const random::Stream& stream) {
  const int64_t n = z.size(1);
  const Tensor root = nn::normal(n, n, stream.named("sigma"), z);
  const Tensor sigma = (torch::eye(n, z.options()) + root.matmul(root.t()) / n) / 2;
  return {z, sigma, symmetric_noise(kNoisePoints, sigma, stream.named("noise"))};
}

std::vector<Claim> check_first_proposition(uint64_t seed) {
  const random::Stream stream(seed, "theory/first");
  const Setting setting = setting_at(gaussian(kLatents, stream.named("z")), stream);
  const data::Mixing mixing(kLatents, kMixing, stream.named("mixing"));
  const Map leaky = mixing_map(mixing, kMixing.activations, kMixing.slope, Activation::kLeaky);
  const Map smooth = mixing_map(mixing, kMixing.activations, kMixing.slope, Activation::kSmooth);
  const auto network = [&](int64_t out) {
    return smooth_network(kLatents, out, stream.named("network"));
  };

  std::vector<Claim> out;
  append(out, check_map_to_sphere("random LeakyReLU encoder",
                                  sphere_map(leaky_encoder(kLatents, kLatents + 1, seed), leaky),
                                  setting, kKinked));
  append(out, check_map_to_sphere("random smooth encoder",
                                  sphere_map(network(kLatents + 1), smooth), setting, kSmooth));
  append(out, check_rank_deficient("smooth, d outputs only", sphere_map(network(kLatents), smooth),
                                   setting));
  append(out, check_flat("1", "linear, not normalised",
                         linear_map(kLatents, kLatents + 1, stream.named("linear")), setting));
  append(out, check_rotation("Clifford torus", &clifford_torus,
                             setting_at(angles(2, stream.named("torus")), stream)));
  append(out, check_rotation("great circle", &great_circle,
                             setting_at(angles(1, stream.named("circle")), stream)));
  return out;
}

std::vector<Claim> check_second_proposition(uint64_t seed) {
  const random::Stream stream(seed, "theory/second");
  const Setting setting = on_sphere(stream);
  const Map linear = linear_map(kSphere + 1, kOut, stream.named("linear"));
  const Tensor circle = great_circle(angles(1, stream.named("circle")));

  std::vector<Claim> out;
  append(out,
         check_map_of_sphere(
             "identity embedding", [](const Tensor& z) { return z.clone(); }, setting, kSmooth));
  append(out, check_map_of_sphere("linear map", linear, setting, kSmooth));
  append(out, check_map_of_sphere("random smooth network",
                                  smooth_network(kSphere + 1, kOut, stream.named("network")),
                                  setting, kSmooth));
  append(out, check_flat("2", "linear map of flat latents", linear, setting));
  append(out, check_exception("arc length of the circle", &arc_length,
                              {circle, torch::eye(2, torch::kFloat64), {}}));
  return out;
}

}  // namespace adassl::theory
