#include "adassl/model/methods/vae.h"

#include <algorithm>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

constexpr size_t kImageDimensions = 3;  // channels, height, width

bool is_bernoulli(const std::string& likelihood, const std::vector<int64_t>& observation) {
  const bool images = observation.size() == kImageDimensions;
  ADASSL_CHECK(images || likelihood != "bernoulli",
               "[model] likelihood: expected gaussian for observations of ", observation.size(),
               " dimensions, since bernoulli is meant for the pixels of images, got bernoulli");
  return images && likelihood != "gaussian";
}

void require_unit_pixels(const Tensor& x) {
  const torch::NoGradGuard no_grad;
  const auto low = x.min().item<double>();
  const auto high = x.max().item<double>();
  ADASSL_CHECK(low >= 0 && high <= 1,
               "[model] likelihood: bernoulli expects pixels in [0, 1], got ", low, " to ", high);
}

Metric reconstruction_metric() {
  return {.name = "reconstruction",
          .label = "-log p(x | z)",
          .about = "what reconstruction costs, in nats, up to a constant",
          .better = Better::kLower,
          .order = 1,
          .curve = true};
}

Metric kl_metric() {
  return {.name = "kl_prior",
          .label = "KL to the prior",
          .about = "nats that z takes from an observation",
          .order = 2,
          .curve = true};
}

}  // namespace

Tensor bernoulli_loss(const Tensor& y, const Tensor& x) {
  return torch::binary_cross_entropy_with_logits(y, x, {}, {}, at::Reduction::None)
      .flatten(1)
      .sum(1);
}

Tensor gaussian_loss(const Tensor& y, const Tensor& x) {
  return 0.5 * (y - x).square().flatten(1).sum(1);
}

GaussianEncoder::GaussianEncoder(std::shared_ptr<Encoder> trunk, int64_t dim)
    : trunk_(register_module("trunk", std::move(trunk))) {
  const int64_t width = trunk_->embedding_width();
  mean_ = register_module("mean", std::make_shared<nn::Linear>(width, dim, true));
  log_variance_ = register_module("log_variance", std::make_shared<nn::Linear>(width, dim, true));
}

std::vector<Gaussian> GaussianEncoder::forward(const std::vector<Tensor>& views) {
  std::vector<Gaussian> out;
  for (const Tensor& e : trunk_->forward(views)) {
    out.push_back({mean_->forward(e), log_variance_->forward(e)});
  }
  return out;
}

Vae::Vae(const parts::VaeOptions& options, Config& config, const MethodContext& context,
         int64_t views)
    : options_(options),
      compute_(context.compute),
      restored_(context.restored),
      bernoulli_(is_bernoulli(options.likelihood, context.observation)),
      views_(views) {
  const auto trunk = make_part(context.parts.encoders, config, "encoder", "mlp",
                               EncoderContext{context.observation, false, compute_});
  encoder_ = register_module("encoder", std::make_shared<GaussianEncoder>(trunk, options.dim));
  decoder_ = register_module("decoder", trunk->mirror(options.dim));
}

void Vae::initialised() {
  if (!restored_) notes_ = encoder_->trunk().start_from_files();
}

Tensor Vae::represent(const Tensor& x) { return encoder_->trunk().represent(here(x)).cpu(); }

Tensor Vae::embed(const Tensor& x) { return encoder_->forward({here(x)})[0].mean.cpu(); }

Tensor Vae::decode(const Tensor& e) {
  const Tensor y = decoder_->decode(here(e));
  return (bernoulli_ ? y.sigmoid() : y).cpu();
}

std::vector<Gaussian> Vae::posteriors(const std::vector<Tensor>& views) {
  return encoder_->forward(views);
}

Loss Vae::loss_of(const std::vector<Tensor>& views, const std::vector<Gaussian>& posteriors,
                  const std::vector<random::Stream>& noise) {
  Tensor reconstruction, kl;
  const auto add = [&](Tensor& sum, const Tensor& of_samples) {
    const Tensor mean = of_samples.mean() / static_cast<double>(views.size());
    sum = sum.defined() ? sum + mean : mean;
  };
  for (size_t i = 0; i < views.size(); ++i) {
    const Gaussian& q = posteriors[i];
    const Tensor x = nn::unit_pixels(views[i]);
    if (bernoulli_ && x.is_same(views[i])) require_unit_pixels(x);
    const Tensor z = reparameterise(q, nn::normal(x.size(0), options_.dim, noise[i], q.mean));
    const Tensor y = decoder_->decode(z);
    add(reconstruction, bernoulli_ ? bernoulli_loss(y, x) : gaussian_loss(y, x));
    add(kl, kl_from_standard(q).sum(1));
  }
  return {reconstruction + options_.beta * kl,
          {{reconstruction_metric(), reconstruction}, {kl_metric(), kl}}};
}

double Vae::bytes(int64_t batch) const {
  // Activations of all views, gradients around one layer, and what weights need in each pass.
  const nn::Footprint decoder = decoder_->footprint();
  const nn::Footprint trunk = encoder_->trunk().footprint();
  const int64_t of_sample = (trunk.kept + decoder.kept) * views_ +
                            std::max(trunk.working, decoder.working) +
                            std::max(trunk.holes, decoder.holes);
  const int64_t of_passes = (trunk.fixed + decoder.fixed) * views_;
  return sizeof(float) * static_cast<double>(of_sample * batch + of_passes) + bytes_of_state(*this);
}

}  // namespace adassl::model
