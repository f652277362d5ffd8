#include "adassl/model/latents/variational.h"

#include "adassl/nn/latent_functions.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

/// r ~ q, and its KL divergence from the prior.
Draw draw(const nn::Compute& compute, const Tensor& posterior, const Tensor& prior,
          const Tensor& eps) {
  if (compute.fuses(posterior) && compute.fuses(prior)) {
    const auto [r, cost] = nn::gaussian_draw(posterior, prior, eps);
    return {r, cost, {}};
  }
  const Gaussian p = gaussian(prior);
  const Gaussian q = gaussian(posterior);
  return {reparameterise(q, eps), kl_divergence(q, p), {}};
}

}  // namespace

Gaussian gaussian(const Tensor& output) {
  const auto halves = output.chunk(2, 1);
  const Tensor sigma = torch::softplus(halves[1]) + 1e-6;
  return {halves[0], (2 * sigma.log()).clamp(-10, 10)};
}

Variational::Variational(const Options& options, const LatentContext& context)
    : options_(options), compute_(context.compute) {
  const auto net = [&](int64_t in) {
    return std::make_shared<nn::Mlp>(
        nn::MlpShape{
            .in = in,
            .hidden = options.hidden,
            .out = 2 * options.dim,
            .norm = true,
            .slope = options.slope,
            .init = nn::Init::kStabilised,
        },
        context.compute);
  };
  prior_ = register_module("prior", net(context.embedding));
  posterior_ = register_module("posterior", net(2 * context.embedding));
}

std::vector<Draw> Variational::infer_all(const std::vector<Evidence>& evidence,
                                         const std::vector<random::Stream>& noise) {
  std::vector<Tensor> sources, pairs;
  for (const Evidence& one : evidence) {
    sources.push_back(one.e);
    pairs.push_back(torch::cat({one.e, one.helper}, 1));
  }
  const std::vector<Tensor> priors = prior_->forward(sources);
  const std::vector<Tensor> posteriors = posterior_->forward(pairs);
  std::vector<Draw> out;
  for (size_t i = 0; i < evidence.size(); ++i) {
    const Tensor& e = evidence[i].e;
    out.push_back(draw(*compute_, posteriors[i], priors[i],
                       nn::normal(e.size(0), options_.dim, noise[i], e)));
  }
  return out;
}

Tensor Variational::imagine(const Tensor& e, const random::Stream& noise) {
  return reparameterise(gaussian(prior_->forward(e)),
                        nn::normal(e.size(0), options_.dim, noise, e));
}

}  // namespace adassl::model
