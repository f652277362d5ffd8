#include "adassl/model/gaussian.h"

namespace adassl::model {

Tensor reparameterise(const Gaussian& q, const Tensor& eps) {
  return q.mean + (q.log_variance / 2).exp() * eps;
}

Tensor kl_divergence(const Gaussian& q, const Gaussian& p) {
  const Tensor difference = q.mean - p.mean;
  return 0.5 * (p.log_variance - q.log_variance +
                (q.log_variance.exp() + difference * difference) / p.log_variance.exp() - 1);
}

Tensor kl_from_standard(const Gaussian& q) {
  return 0.5 * (q.mean * q.mean + q.log_variance.exp() - q.log_variance - 1);
}

}  // namespace adassl::model
