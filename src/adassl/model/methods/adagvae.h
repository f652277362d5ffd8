#pragma once

#include "adassl/model/methods/vae.h"

namespace adassl::model {

/// How much each latent differs between the two posteriors of a pair, [B, n]:
///   delta = v_1 / v_2 + (m_2 - m_1)^2 / v_2 - 1 + log v_2 - log v_1 = 2 KL(one || other)
Tensor change_of_latents(const Gaussian& one, const Gaussian& other);

/// The latents that are taken to have changed, [B, n] of kBool: those whose delta lies in the upper
/// half of the interval from the smallest to the largest of its row.
Tensor changed_latents(const Tensor& delta);

/// Both posteriors with one Gaussian for the latents that have not changed: the arithmetic means of
/// their means and of their variances. Gradients flow through these means. The choice of latents
/// has none.
struct SharedPosteriors {
  Gaussian one, other;
  Tensor changed;  // [B, n] of kBool
};
SharedPosteriors share_unchanged(const Gaussian& one, const Gaussian& other);

/// AdaGVAE (Locatello et al., 2020): both halves of a pair are encoded, share the latents that have
/// not changed, and are decoded. The loss averages the two.
class AdaGvae final : public Vae {
 public:
  using Options = parts::AdaGvaeOptions;

  AdaGvae(Config& config, const MethodContext& context)
      : Vae(config.read<Options>("model"), config, context, 2) {}
  Loss forward(const Views& views, int64_t step, const random::Stream& noise) override;
};

}  // namespace adassl::model
