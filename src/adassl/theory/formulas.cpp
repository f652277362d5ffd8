#include <cmath>

#include "adassl/core/error.h"
#include "adassl/nn/tensors.h"
#include "adassl/theory/theory.h"

namespace adassl::theory {
namespace {

/// The Frobenius norm of each of the B entries of [B, ...].
Tensor norms(const Tensor& values) { return values.reshape({values.size(0), -1}).norm(2, {1}); }

}  // namespace

Tensor jacobian(const Map& h, const Tensor& z) {
  const torch::AutoGradMode with_gradients(true);
  const Tensor at = z.detach().clone().requires_grad_(true);
  const Tensor out = h(at);  // [B, m]
  ADASSL_CHECK(out.dim() == 2 && out.size(0) == z.size(0), "[theory] expected a map of ", z.size(0),
               " rows to as many, got ", out.sizes());
  std::vector<Tensor> rows;
  for (int64_t j = 0; j < out.size(1); ++j) {
    // Rows are independent, so the gradient of a column's sum contains the gradient of each row.
    rows.push_back(torch::autograd::grad({out.select(1, j).sum()}, {at}, {},
                                         /*retain_graph=*/true)[0]);
  }
  return torch::stack(rows, 1);
}

Tensor pushed_covariance(const Tensor& jacobian, const Tensor& sigma) {
  return jacobian.matmul(sigma).matmul(jacobian.transpose(1, 2));
}

Tensor tangent_projector(const Tensor& z) {
  return torch::eye(z.size(1), z.options()) - z.unsqueeze(2) * z.unsqueeze(1);
}

Tensor tangent_covariance(const Tensor& jacobian, const Tensor& z, const Tensor& sigma) {
  return pushed_covariance(jacobian.matmul(tangent_projector(z)), sigma);
}

double dispersion(const Tensor& values) {
  const Tensor mean = values.mean(0, /*keepdim=*/true);
  return (norms(values - mean).mean() / mean.norm()).item<double>();
}

Tensor principal_angles(const Tensor& a, const Tensor& b) {
  const Tensor q = std::get<0>(torch::linalg_qr(a));
  const Tensor p = std::get<0>(torch::linalg_qr(b));
  const Tensor overlap = q.transpose(1, 2).matmul(p);
  const Tensor cosines = torch::linalg_svdvals(overlap).clamp(0, 1);
  const Tensor sines = torch::linalg_svdvals(p - q.matmul(overlap)).clamp(0, 1).flip(1);
  return torch::where(sines.square() < 0.5, sines.asin(), cosines.acos());
}

Tensor symmetric_noise(int64_t count, const Tensor& sigma, const random::Stream& stream) {
  const int64_t n = sigma.size(0);
  ADASSL_CHECK(count % 2 == 0 && count >= 4 * n, "[theory] expected an even number of at least ",
               4 * n, " points of noise, got ", count);
  const Tensor half = nn::normal(count / 2, n, stream, sigma);
  const Tensor second_moment = half.t().matmul(half) / (count / 2);
  const Tensor white = torch::linalg_solve_triangular(torch::linalg_cholesky(second_moment),
                                                      half.t(), /*upper=*/false);  // [n, N / 2]
  const Tensor coloured = torch::linalg_cholesky(sigma).matmul(white).t();
  return torch::cat({coloured, -coloured});
}

Tensor covariance_errors(const Map& h, const Tensor& z, const Tensor& noise, double s,
                         const Tensor& expected) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> errors;
  for (int64_t i = 0; i < z.size(0); ++i) {
    Tensor out = h(z[i] + s * noise);
    out = (out - out.mean(0)) / s;
    const Tensor covariance = out.t().matmul(out) / noise.size(0);
    errors.push_back((covariance - expected[i]).norm() / expected[i].norm());
  }
  return torch::stack(errors);
}

}  // namespace adassl::theory
