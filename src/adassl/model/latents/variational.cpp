#include "adassl/model/latents/variational.h"

#include "adassl/nn/fused.h"
#include "adassl/nn/latent_functions.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {

Gaussian gaussian(const Tensor& output) {
  const auto halves = output.chunk(2, 1);
  const Tensor sigma = torch::softplus(halves[1]) + 1e-6;
  return {halves[0], (2 * sigma.log()).clamp(-10, 10)};
}

Tensor reparameterise(const Gaussian& q, const Tensor& eps) {
  return q.mean + (q.log_variance / 2).exp() * eps;
}

Tensor kl_divergence(const Gaussian& q, const Gaussian& p) {
  const Tensor difference = q.mean - p.mean;
  return 0.5 * (p.log_variance - q.log_variance +
                (q.log_variance.exp() + difference * difference) / p.log_variance.exp() - 1);
}

Variational::Variational(const Options& options, const LatentContext& context) : options_(options) {
  const auto net = [&](int64_t in) {
    return std::make_shared<nn::Mlp>(nn::MlpShape{
        .in = in,
        .hidden = options.hidden,
        .out = 2 * options.dim,
        .norm = true,
        .slope = options.slope,
        .init = nn::Init::kStabilised,
    });
  };
  prior_ = register_module("prior", net(context.embedding));
  posterior_ = register_module("posterior", net(2 * context.embedding));
}

Draw Variational::infer(const Evidence& evidence, const random::Stream& noise) {
  const Tensor prior = prior_->forward(evidence.e);
  const Tensor posterior = posterior_->forward(torch::cat({evidence.e, evidence.helper}, 1));
  const Tensor eps = nn::normal(evidence.e.size(0), options_.dim, noise, evidence.e);
  if (nn::fused() && nn::fused_covers(posterior) && nn::fused_covers(prior)) {
    const auto [r, cost] = nn::gaussian_draw(posterior, prior, eps);
    return {r, cost, {}};
  }
  const Gaussian p = gaussian(prior);
  const Gaussian q = gaussian(posterior);
  return {reparameterise(q, eps), kl_divergence(q, p), {}};
}

Tensor Variational::imagine(const Tensor& e, const random::Stream& noise) {
  return reparameterise(gaussian(prior_->forward(e)),
                        nn::normal(e.size(0), options_.dim, noise, e));
}

}  // namespace adassl::model
