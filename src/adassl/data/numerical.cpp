#include "adassl/data/numerical.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "adassl/core/error.h"
#include "adassl/kernels/columns.h"
#include "adassl/kernels/noise.h"
#include "adassl/kernels/threads.h"

namespace adassl::data {
namespace {

const auto kSoftplusInverseOfOne = static_cast<float>(std::log(std::exp(1.0) - 1));

constexpr double kShiftedVariance = 5;  // of all latents, in the population n5

constexpr int64_t kViews = 4;  // of a pair: x, x+, x++ and the mirror helper

constexpr size_t kBlock = 64;  // samples that are made together; they fit into the L1 cache

std::vector<double> normals(size_t count, random::Sequence& draws) {
  std::vector<double> out(count);
  for (double& value : out) value = draws.normal();
  return out;
}

/// Wishart(nu, I): a sum of nu outer products of normal vectors.
Matrix wishart(size_t size, size_t nu, const random::Stream& stream) {
  random::Sequence draws = stream.at(0);
  Matrix out(size, size);
  for (size_t k = 0; k < nu; ++k) {
    const std::vector<double> v = normals(size, draws);
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) out(i, j) += v[i] * v[j];
    }
  }
  return out;
}

/// Draws the covariance of the latents from the chosen distribution.
Matrix draw_covariance(const std::string& law, size_t size, const random::Stream& stream) {
  return law == "wishart" ? wishart(size, size, stream) : inverse(wishart(size, size + 2, stream));
}

Matrix normal_matrix(size_t size, const random::Stream& stream) {
  Matrix out(size, size);
  random::Sequence draws = stream.at(0);
  out.values = normals(size * size, draws);
  return out;
}

std::vector<float> to_float(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// Computes out = matrix * in for a block of samples.
void multiply(const std::vector<float>& matrix, size_t size, std::span<const float> in,
              std::span<float> out) {
  kernels::apply({matrix, static_cast<int64_t>(size)}, in, out);
}

/// Copies a block, which is stored feature by feature, into the rows first ... first + rows - 1 of
/// `out`.
void put_rows(std::span<const float> columns, int64_t first, size_t rows, Array& out) {
  const size_t width = columns.size() / kBlock;
  float* row = out.values.data() + static_cast<size_t>(first) * width;
  for (size_t i = 0; i < rows; ++i, row += width) {
    for (size_t j = 0; j < width; ++j) row[j] = columns[j * kBlock + i];
  }
}

}  // namespace

/// kBlock samples side by side: feature j of sample i is at [j * kBlock + i]. The last block of a
/// batch is computed in full and its surplus samples are dropped; this is possible because no
/// sample depends on the number of samples.
struct Numerical::Block {
  Block(const Options& options, int64_t views)
      : content(static_cast<size_t>(options.content)),
        style(static_cast<size_t>(options.style)),
        content_draws(options.conditional == "complex" ? 3 : 2),
        normals((content_draws * content + static_cast<size_t>(views) * style) * kBlock),
        x((content + style) * kBlock) {
    for (auto* part : {&c, &c_plus, &mean, &deviation, &chance, &uniforms}) {
      part->resize(content * kBlock);
    }
  }

  std::span<const float> content_normals(size_t draw) const {
    return std::span(normals).subspan(draw * content * kBlock, content * kBlock);
  }
  std::span<const float> style_normals(size_t view) const {
    const size_t before = content_draws * content + view * style;
    return std::span(normals).subspan(before * kBlock, style * kBlock);
  }

  size_t content;
  size_t style;
  size_t content_draws;
  std::vector<float> normals;           // [content_draws * content + views * style]
  std::vector<float> x;                 // [content + style]
  std::vector<float> c, c_plus;         // [content]
  std::vector<float> mean, deviation;   // [content]
  std::vector<float> chance, uniforms;  // [content]
};

Numerical::Numerical(const Options& options, uint64_t seed)
    : options_(options),
      mixing_(options.content + options.style, options.mixing, {seed, "numerical/mixing"}) {
  const auto n = static_cast<size_t>(options.content);
  sigma_ = draw_covariance(options.covariance, n, {seed, "numerical/sigma"});
  sigma_cholesky_ = to_float(cholesky(sigma_).values);
  // mu = W_mu^T kappa + b
  w_mu_ = to_float(transpose(normal_matrix(n, {seed, "numerical/w_mu"})).values);
  w_sigma_ = to_float(normal_matrix(n, {seed, "numerical/w_sigma"}).values);
  random::Sequence b_draws = random::Stream(seed, "numerical/b").at(0);
  b_ = to_float(normals(n, b_draws));
  random::Sequence gamma_draws = random::Stream(seed, "numerical/anisotropic").at(0);
  for (size_t i = 0; i < n; ++i) anisotropic_variance_.push_back(1 / gamma_draws.gamma(2));
}

Source::Shape Numerical::shape() const {
  Shape out{.observation = {options_.content + options_.style},
            .change = options_.content,
            .helper = true,
            .mirror_helper = true};
  for (int64_t i = 1; i <= options_.content; ++i) out.columns.push_back({join("c_", i)});
  return out;
}

void Numerical::draw_content(const random::Stream& stream, int64_t first, Block& block) const {
  const size_t n = block.content;
  kernels::fill_normal_columns(block.normals, static_cast<int64_t>(block.normals.size() / kBlock),
                               stream, first);
  multiply(sigma_cholesky_, n, block.content_normals(0), block.c);  // kappa if it is "complex"
  if (options_.conditional == "complex" || options_.conditional == "heteroscedastic") {
    multiply(w_sigma_, n, block.c, block.deviation);
    for (float& value : block.deviation) value += kSoftplusInverseOfOne;
    kernels::root_of_softplus(block.deviation);
  }
  if (options_.conditional == "complex") {
    draw_complex_content(stream.named("chance"), first, block);
    return;
  }
  for (size_t k = 0; k < n; ++k) {
    const auto deviation = std::span(block.deviation).subspan(k * kBlock, kBlock);
    if (options_.conditional == "zero") std::ranges::fill(deviation, 0.0F);
    if (options_.conditional == "isotropic") std::ranges::fill(deviation, 1.0F);
    if (options_.conditional == "anisotropic") {
      std::ranges::fill(deviation, static_cast<float>(std::sqrt(anisotropic_variance_[k])));
    }
  }
  const std::span<const float> noise = block.content_normals(1);
  for (size_t at = 0; at < n * kBlock; ++at) {
    block.c_plus[at] = block.c[at] + block.deviation[at] * noise[at];
  }
}

void Numerical::draw_complex_content(const random::Stream& chance, int64_t first,
                                     Block& block) const {
  const size_t n = block.content;
  const std::vector<float>& kappa = block.c;
  multiply(w_mu_, n, kappa, block.mean);
  for (size_t k = 0; k < n; ++k) {
    const auto variance = static_cast<float>(sigma_(k, k));
    for (size_t at = k * kBlock; at < (k + 1) * kBlock; ++at) {
      block.mean[at] += b_[k];
      block.chance[at] = kappa[at] / variance - 1;
    }
  }
  kernels::sigmoid(block.chance);
  kernels::fill_uniform_columns(block.uniforms, static_cast<int64_t>(n), chance, first);
  // c+ uses the draw of c or a fresh one. An index selects it, because a branch would be
  // unpredictable.
  const float* own = block.content_normals(1).data();
  const std::ptrdiff_t next = block.content_normals(2).data() - own;
  for (size_t at = 0; at < n * kBlock; ++at) {
    const bool changes = block.uniforms[at] < block.chance[at];
    block.c[at] = block.mean[at] + block.deviation[at] * own[at];
    block.c_plus[at] = block.mean[at] + block.deviation[at] * (own + at)[changes * next];
  }
}

void Numerical::observe(std::span<const float> content, size_t view, int64_t first, size_t rows,
                        Block& block, Array& out) const {
  std::ranges::copy(block.style_normals(view), std::ranges::copy(content, block.x.begin()).out);
  mixing_.apply(block.x, block.x);
  put_rows(block.x, first, rows, out);
}

void Numerical::make_pairs(const PairRows& wanted, Batch& batch) const {
  const kernels::FlushDenormals flush;
  Block block(options_, kViews);
  std::vector<float> change(block.c.size());
  for (int64_t done = 0; done < wanted.count(); done += kBlock) {
    const int64_t first = wanted.first + done;
    const size_t rows = std::min(kBlock, static_cast<size_t>(wanted.count() - done));
    draw_content(wanted.stream, first, block);
    observe(block.c, 0, first, rows, block, batch.x);
    observe(block.c_plus, 1, first, rows, block, batch.x_plus);
    observe(block.c_plus, 2, first, rows, block, batch.helper);
    observe(block.c, 3, first, rows, block, batch.mirror_helper);
    for (size_t at = 0; at < change.size(); ++at) change[at] = block.c_plus[at] - block.c[at];
    put_rows(block.c, first, rows, batch.factors);
    put_rows(block.c_plus, first, rows, batch.factors_plus);
    put_rows(change, first, rows, batch.change);
  }
}

Samples Numerical::samples(const std::string& population, const random::Stream& stream,
                           int64_t count) const {
  const bool shifted = population == "n5";
  ADASSL_CHECK(shifted || population == "pz", "[numerical] expected the population pz or n5, got '",
               population, "'");
  const int64_t width = options_.content + options_.style;
  const auto deviation = static_cast<float>(std::sqrt(kShiftedVariance));
  Samples out{make_array({count, width}), make_array({count, options_.content})};
  Block block(options_, 1);
  for (int64_t first = 0; first < count; first += kBlock) {
    const size_t rows = std::min(kBlock, static_cast<size_t>(count - first));
    if (shifted) {
      kernels::fill_normal_columns(block.x, width, stream, first);
      for (float& value : block.x) value *= deviation;
      put_rows(std::span(block.x).first(block.c.size()), first, rows, out.known);
      mixing_.apply(block.x, block.x);
      put_rows(block.x, first, rows, out.x);
    } else {
      draw_content(stream, first, block);
      observe(block.c, 0, first, rows, block, out.x);
      put_rows(block.c, first, rows, out.known);
    }
  }
  return out;
}

}  // namespace adassl::data
