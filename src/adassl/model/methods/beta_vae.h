#pragma once

#include "adassl/model/methods/vae.h"

namespace adassl::model {

/// beta-VAE (Higgins et al., 2017): the variational autoencoder of single observations. It learns
/// from x and ignores the rest of a pair.
class BetaVae final : public Vae {
 public:
  using Options = parts::BetaVaeOptions;

  BetaVae(Config& config, const MethodContext& context)
      : Vae(config.read<Options>("model"), config, context, 1) {}
  Loss forward(const Views& views, int64_t /*step*/, const random::Stream& noise) override {
    const std::vector<Tensor> x = {here(views.x)};
    return loss_of(x, posteriors(x), {noise.named("forward")});
  }
};

}  // namespace adassl::model
