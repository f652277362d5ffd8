#include "adassl/data/numerical.h"

#include <algorithm>
#include <cmath>

#include "adassl/core/error.h"

namespace adassl::data {
namespace {

const double kSoftplusInverseOfOne = std::log(std::exp(1.0) - 1);

constexpr double kShiftedVariance = 5;  // of all latents, in the population n5

double softplus(double v) { return v > 30 ? v : std::log1p(std::exp(v)); }

std::vector<double> normals(size_t count, random::Sequence& draws) {
  std::vector<double> out(count);
  for (double& value : out) value = draws.normal();
  return out;
}

std::vector<double> multiply(const Matrix& a, const std::vector<double>& v) {
  std::vector<double> out(a.rows);
  for (size_t i = 0; i < a.rows; ++i) {
    for (size_t j = 0; j < a.columns; ++j) out[i] += a(i, j) * v[j];
  }
  return out;
}

/// InverseWishart(nu, I): the inverse of a sum of nu outer products of normal vectors.
Matrix inverse_wishart(size_t size, size_t nu, const random::Stream& stream) {
  random::Sequence draws = stream.at(0);
  Matrix wishart(size, size);
  for (size_t k = 0; k < nu; ++k) {
    const std::vector<double> v = normals(size, draws);
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) wishart(i, j) += v[i] * v[j];
    }
  }
  return inverse(wishart);
}

Matrix normal_matrix(size_t size, const random::Stream& stream) {
  Matrix out(size, size);
  random::Sequence draws = stream.at(0);
  out.values = normals(size * size, draws);
  return out;
}

}  // namespace

Numerical::Numerical(const Options& options, uint64_t seed)
    : options_(options),
      mixing_(options.content + options.style, options.mixing, {seed, "numerical/mixing"}) {
  const auto n = static_cast<size_t>(options.content);
  sigma_ = inverse_wishart(n, n + 2, {seed, "numerical/sigma"});
  sigma_cholesky_ = cholesky(sigma_);
  w_mu_ = transpose(normal_matrix(n, {seed, "numerical/w_mu"}));  // mu = W_mu^T kappa + b
  w_sigma_ = normal_matrix(n, {seed, "numerical/w_sigma"});
  random::Sequence b_draws = random::Stream(seed, "numerical/b").at(0);
  b_ = normals(n, b_draws);
  random::Sequence gamma_draws = random::Stream(seed, "numerical/anisotropic").at(0);
  for (size_t i = 0; i < n; ++i) anisotropic_variance_.push_back(1 / gamma_draws.gamma(2));
}

Source::Shape Numerical::shape() const {
  return {{options_.content + options_.style}, options_.content, options_.content};
}

Numerical::Content Numerical::draw_content(random::Sequence& draws) const {
  const auto n = static_cast<size_t>(options_.content);
  const std::vector<double> base = multiply(sigma_cholesky_, normals(n, draws));
  if (options_.conditional == "complex") {
    const std::vector<double>& kappa = base;
    const std::vector<double> mu = multiply(w_mu_, kappa);
    const std::vector<double> spread = multiply(w_sigma_, kappa);
    Content out{std::vector<double>(n), std::vector<double>(n)};
    for (size_t i = 0; i < n; ++i) {
      const double mean = mu[i] + b_[i];
      const double deviation = std::sqrt(softplus(spread[i] + kSoftplusInverseOfOne));
      out.c[i] = mean + deviation * draws.normal();
      const double fresh = mean + deviation * draws.normal();
      const double p = 1 / (1 + std::exp(1 - kappa[i] / sigma_(i, i)));
      out.c_plus[i] = draws.bernoulli(p) ? fresh : out.c[i];
    }
    return out;
  }
  Content out{base, base};
  if (options_.conditional == "zero") return out;
  const std::vector<double> spread = multiply(w_sigma_, base);
  for (size_t i = 0; i < n; ++i) {
    double variance = 1;
    if (options_.conditional == "anisotropic") variance = anisotropic_variance_[i];
    if (options_.conditional == "heteroscedastic") {
      variance = softplus(spread[i] + kSoftplusInverseOfOne);
    }
    out.c_plus[i] += std::sqrt(variance) * draws.normal();
  }
  return out;
}

void Numerical::observe(const std::vector<double>& content, random::Sequence& draws,
                        float* x) const {
  const auto width = static_cast<size_t>(options_.content + options_.style);
  std::vector<float> z(width);
  std::copy(content.begin(), content.end(), z.begin());
  for (size_t j = content.size(); j < width; ++j) z[j] = static_cast<float>(draws.normal());
  mixing_.apply(z, {x, width});
}

Batch Numerical::pairs(const random::Stream& stream, int64_t count) const {
  const int64_t width = options_.content + options_.style;
  const int64_t n = options_.content;
  Batch batch;
  for (Array* view : {&batch.x, &batch.x_plus, &batch.helper, &batch.mirror_helper}) {
    *view = make_array({count, width});
  }
  for (Array* known : {&batch.change, &batch.factors, &batch.factors_plus}) {
    *known = make_array({count, n});
  }
  for (int64_t i = 0; i < count; ++i) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(i));
    const Content content = draw_content(draws);
    observe(content.c, draws, &batch.x.values[static_cast<size_t>(i * width)]);
    observe(content.c_plus, draws, &batch.x_plus.values[static_cast<size_t>(i * width)]);
    observe(content.c_plus, draws, &batch.helper.values[static_cast<size_t>(i * width)]);
    observe(content.c, draws, &batch.mirror_helper.values[static_cast<size_t>(i * width)]);
    for (int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<size_t>(i * n + j);
      const auto k = static_cast<size_t>(j);
      batch.factors.values[at] = static_cast<float>(content.c[k]);
      batch.factors_plus.values[at] = static_cast<float>(content.c_plus[k]);
      batch.change.values[at] = static_cast<float>(content.c_plus[k] - content.c[k]);
    }
  }
  return batch;
}

Samples Numerical::samples(const std::string& population, const random::Stream& stream,
                           int64_t count) const {
  const bool shifted = population == "n5";
  ADASSL_CHECK(shifted || population == "pz", "[numerical] expected the population pz or n5, got '",
               population, "'");
  const int64_t width = options_.content + options_.style;
  const auto n = static_cast<size_t>(options_.content);
  const double deviation = std::sqrt(kShiftedVariance);
  Samples out{make_array({count, width}), make_array({count, options_.content})};
  std::vector<float> z(static_cast<size_t>(width));
  for (int64_t i = 0; i < count; ++i) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(i));
    float* x = &out.x.values[static_cast<size_t>(i * width)];
    if (shifted) {
      for (float& value : z) value = static_cast<float>(deviation * draws.normal());
      mixing_.apply(z, {x, static_cast<size_t>(width)});
      std::copy_n(z.begin(), n, &out.factors.values[static_cast<size_t>(i) * n]);
    } else {
      const Content content = draw_content(draws);
      observe(content.c, draws, x);
      std::copy(content.c.begin(), content.c.end(),
                &out.factors.values[static_cast<size_t>(i) * n]);
    }
  }
  return out;
}

}  // namespace adassl::data
