#include "adassl/model/methods/adagvae.h"

#include <cmath>

namespace adassl::model {

Tensor change_of_latents(const Gaussian& one, const Gaussian& other) {
  const Tensor ratio = (one.log_variance - other.log_variance).exp();
  const Tensor difference = (other.mean - one.mean).square() / other.log_variance.exp();
  return ratio + difference - 1 + other.log_variance - one.log_variance;
}

Tensor changed_latents(const Tensor& delta) {
  const Tensor low = delta.amin(1, /*keepdim=*/true);
  const Tensor high = delta.amax(1, /*keepdim=*/true);
  return delta >= (low + high) / 2;
}

SharedPosteriors share_unchanged(const Gaussian& one, const Gaussian& other) {
  Tensor changed;
  {
    const torch::NoGradGuard no_grad;
    changed = changed_latents(change_of_latents(one, other));
  }
  const Tensor mean = (one.mean + other.mean) / 2;
  const Tensor log_variance = torch::logaddexp(one.log_variance, other.log_variance) - std::log(2);
  const auto with = [&](const Gaussian& own) {
    return Gaussian{torch::where(changed, own.mean, mean),
                    torch::where(changed, own.log_variance, log_variance)};
  };
  return {with(one), with(other), changed};
}

Loss AdaGvae::forward(const Views& views, int64_t /*step*/, const random::Stream& noise) {
  const std::vector<Tensor> x = {here(views.x), here(views.x_plus)};
  const std::vector<Gaussian> q = posteriors(x);
  const SharedPosteriors shared = share_unchanged(q[0], q[1]);
  Loss loss =
      loss_of(x, {shared.one, shared.other}, {noise.named("forward"), noise.named("backward")});
  loss.terms.emplace_back(Metric{.name = "changed_latents",
                                 .label = "changed latents",
                                 .about = "latents of a pair that are not shared, on average",
                                 .order = 3,
                                 .curve = true},
                          shared.changed.to(q[0].mean.scalar_type()).sum(1).mean());
  return loss;
}

}  // namespace adassl::model
