#include "adassl/kernels/contrastive.h"

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "adassl/kernels/threads.h"

namespace adassl::kernels {
namespace {

using Weights = ContrastiveProblem::Weights;

constexpr float kLeastNorm = 1e-12F;  // as in torch::nn::functional::normalize
constexpr int64_t kRows = 128;        // per parallel task

template <class Work>
void for_rows(int64_t rows, const Work& work) {
  parallel_for((rows + kRows - 1) / kRows, [&](int64_t task) {
    const int64_t end = std::min(rows, (task + 1) * kRows);
    for (int64_t i = task * kRows; i < end; ++i) work(i);
  });
}

/// The factor that makes a row a unit vector, or 1 if embeddings are not normalised.
template <class T>
T inverse_norm(const float* row, int64_t width, bool hypersphere) {
  if (!hypersphere) return 1;
  T square = 0;
  for (int64_t f = 0; f < width; ++f) square += static_cast<T>(row[f]) * static_cast<T>(row[f]);
  return 1 / std::max(std::sqrt(square), T{kLeastNorm});
}

/// Turns the gradient of the unit vector u = x * inverse into that of x, in place.
void through_normalisation(const float* x, float inverse, int64_t width, bool hypersphere,
                           float* gradient) {
  if (!hypersphere) return;
  float along = 0;
  for (int64_t f = 0; f < width; ++f) along += gradient[f] * x[f] * inverse;
  if (inverse >= 1 / kLeastNorm) along = 0;  // the norm was clamped: it is constant
  for (int64_t f = 0; f < width; ++f) {
    gradient[f] = (gradient[f] - along * x[f] * inverse) * inverse;
  }
}

/// How a contrastive problem is written as a softmax problem.
struct Form {
  explicit Form(const ContrastiveProblem& problem)
      : p(problem),
        squares(!p.cosine && p.weights == Weights::kRows),
        biased(!p.cosine && !squares),
        width(squares ? 2 * p.width : p.width),
        columns(p.own == nullptr ? p.rows : 2 * p.rows) {
    if (p.weights == Weights::kRows) return;
    for (int64_t f = 0; f < p.width; ++f) {  // divided once, not for every row
      const float concentration = p.concentration[p.weights == Weights::kOne ? 0 : f];
      shared.push_back(concentration / p.tau);
      exact_shared.push_back(double{concentration} / p.tau);
    }
  }

  template <class T = float>
  T weight(int64_t i, int64_t f) const {
    if (p.weights == Weights::kRows) {
      return static_cast<T>(p.concentration[i * p.width + f]) / static_cast<T>(p.tau);
    }
    if constexpr (std::is_same_v<T, float>) {
      return shared[static_cast<size_t>(f)];
    } else {
      return exact_shared[static_cast<size_t>(f)];
    }
  }
  int64_t weight_count() const {
    return p.weights == Weights::kOne ? 1 : (p.weights == Weights::kRows ? p.rows : 1) * p.width;
  }
  const float* candidate(int64_t j) const {
    return j < p.rows ? p.targets + j * p.width : p.own + (j - p.rows) * p.width;
  }

  const ContrastiveProblem& p;
  bool squares;               // queries are [2 w u, -w], keys are [v, v^2]
  bool biased;                // queries are 2 w u, keys are v, the bias of a column is -sum w v^2
  int64_t width;              // of queries and keys
  int64_t columns;            // M
  std::vector<float> shared;  // w, if all rows share it
  std::vector<double> exact_shared;
};

/// The largest norm of any row.
double longest(const float* rows, int64_t count, int64_t width) {
  double square = 0;
  for (int64_t i = 0; i < count; ++i) {
    float sum = 0;
    for (int64_t f = 0; f < width; ++f) sum += rows[i * width + f] * rows[i * width + f];
    square = std::max(square, double{sum});
  }
  return std::sqrt(square);
}

/// An upper bound on the absolute value of the logits.
double bound(const Form& form) {
  const ContrastiveProblem& p = form.p;
  double q = 1;
  double k = 1;
  if (!p.hypersphere) {
    q = longest(p.q, p.rows, p.width);
    k = longest(p.targets, p.rows, p.width);
    if (p.own != nullptr) k = std::max(k, longest(p.own, p.rows, p.width));
  }
  double weight = 0;
  for (int64_t i = 0; i < form.weight_count(); ++i) {
    weight = std::max(weight, std::abs(double{p.concentration[i]}));
  }
  return weight / p.tau * (p.cosine ? q * k : (q + k) * (q + k));
}

template <class T>
void widen_queries(const Form& form, T* q_norms, T* queries) {
  const ContrastiveProblem& p = form.p;
  const T factor = p.cosine ? 1 : 2;
  for_rows(p.rows, [&](int64_t i) {
    const float* q = p.q + i * p.width;
    const T inverse = inverse_norm<T>(q, p.width, p.hypersphere);
    if (q_norms != nullptr) q_norms[i] = inverse;
    T* to = queries + i * form.width;
    for (int64_t f = 0; f < p.width; ++f) {
      const T weight = form.weight<T>(i, f);
      to[f] = factor * weight * static_cast<T>(q[f]) * inverse;
      if (form.squares) to[p.width + f] = -weight;
    }
  });
}

template <class T>
void widen_keys(const Form& form, T* k_norms, T* keys, T* bias) {
  const ContrastiveProblem& p = form.p;
  for_rows(form.columns, [&](int64_t j) {
    const float* k = form.candidate(j);
    const T inverse = inverse_norm<T>(k, p.width, p.hypersphere);
    if (k_norms != nullptr) k_norms[j] = inverse;
    T* to = keys + j * form.width;
    T sum = 0;
    for (int64_t f = 0; f < p.width; ++f) {
      const T v = static_cast<T>(k[f]) * inverse;
      to[f] = v;
      if (form.squares) to[p.width + f] = v * v;
      if (form.biased) sum -= form.weight<T>(0, f) * v * v;
    }
    if (form.biased) bias[j] = sum;
  });
}

/// The gradient of weight f of row i, times tau. `row_bias` is null unless both directions are
/// computed at once.
float weight_gradient(const Form& form, const float* q_norms, const float* queries,
                      const float* row_bias, int64_t i, int64_t f) {
  const ContrastiveProblem& p = form.p;
  const float u = p.q[i * p.width + f] * q_norms[i];
  float out = (p.cosine ? 1.0F : 2.0F) * queries[i * form.width + f] * u;
  if (form.squares) out -= queries[i * form.width + p.width + f];
  if (row_bias != nullptr) out -= u * u * row_bias[i];
  return out;
}

/// Gradients of q and, if every row has weights of its own, of these weights.
void return_queries(const Form& form, const float* q_norms, const float* queries,
                    const float* row_bias, const ContrastiveGradients& gradients) {
  const ContrastiveProblem& p = form.p;
  const float factor = p.cosine ? 1.0F : 2.0F;
  for_rows(p.rows, [&](int64_t i) {
    const float* q = p.q + i * p.width;
    const float* from = queries + i * form.width;
    float* to = gradients.q + i * p.width;
    if (p.weights == Weights::kRows) {
      for (int64_t f = 0; f < p.width; ++f) {
        gradients.concentration[i * p.width + f] =
            weight_gradient(form, q_norms, queries, row_bias, i, f) / p.tau;
      }
    }
    for (int64_t f = 0; f < p.width; ++f) {
      float gradient = factor * from[f];
      if (row_bias != nullptr) gradient -= 2 * q[f] * q_norms[i] * row_bias[i];
      to[f] = form.weight(i, f) * gradient;
    }
    through_normalisation(q, q_norms[i], p.width, p.hypersphere, to);
  });
}

/// Gradients of the candidates.
void return_keys(const Form& form, const float* k_norms, const float* keys, const float* bias,
                 const ContrastiveGradients& gradients) {
  const ContrastiveProblem& p = form.p;
  for_rows(form.columns, [&](int64_t j) {
    const float* k = form.candidate(j);
    const float* from = keys + j * form.width;
    float* to =
        j < p.rows ? gradients.targets + j * p.width : gradients.own + (j - p.rows) * p.width;
    for (int64_t f = 0; f < p.width; ++f) {
      const float v = k[f] * k_norms[j];
      float gradient = from[f];
      if (form.squares) gradient += 2 * v * from[p.width + f];
      if (form.biased) gradient -= 2 * form.weight(0, f) * v * bias[j];
      to[f] = gradient;
    }
    through_normalisation(k, k_norms[j], p.width, p.hypersphere, to);
  });
}

/// Gradients of weights that all rows share: sums over rows and, through the bias, over columns, in
/// a fixed order. Must be called before return_queries, which overwrites `queries`.
void sum_weights(const Form& form, const float* q_norms, const float* queries,
                 const float* row_bias, const float* k_norms, const float* bias, float* gradient) {
  const ContrastiveProblem& p = form.p;
  const int64_t tasks = (form.columns + kRows - 1) / kRows;
  std::vector<double> sums(static_cast<size_t>(tasks * p.width));
  parallel_for(tasks, [&](int64_t task) {
    double* sum = sums.data() + task * p.width;
    const int64_t end = std::min(form.columns, (task + 1) * kRows);
    for (int64_t j = task * kRows; j < end; ++j) {
      const float* k = form.candidate(j);
      const double share = form.biased ? bias[j] : 0.0F;
      for (int64_t f = 0; f < p.width; ++f) {
        const double v = double{k[f]} * k_norms[j];
        sum[f] -= v * v * share;
      }
      if (j >= p.rows) continue;
      for (int64_t f = 0; f < p.width; ++f) {
        sum[f] += weight_gradient(form, q_norms, queries, row_bias, j, f);
      }
    }
  });
  std::vector<double> total(static_cast<size_t>(p.width));
  for (int64_t task = 0; task < tasks; ++task) {
    for (int64_t f = 0; f < p.width; ++f) {
      total[static_cast<size_t>(f)] += sums[static_cast<size_t>(task * p.width + f)];
    }
  }
  if (p.weights == Weights::kDimensions) {
    for (int64_t f = 0; f < p.width; ++f) {
      gradient[f] = static_cast<float>(total[static_cast<size_t>(f)] / p.tau);
    }
    return;
  }
  double all = 0;
  for (const double value : total) all += value;
  *gradient = static_cast<float>(all / p.tau);
}

}  // namespace

int64_t ContrastiveWorkspace::bytes() const {
  int64_t sum = softmax.bytes() + two_way.bytes() + exact_queries.bytes() + exact_keys.bytes() +
                exact_bias.bytes();
  for (const Buffer* buffer : {&queries, &keys, &bias, &row_bias, &q_norms, &k_norms}) {
    sum += buffer->bytes();
  }
  return sum;
}

double contrastive(const ContrastiveProblem& p, const ContrastiveGradients* gradients,
                   ContrastiveWorkspace& workspace) {
  const Form form(p);
  // If the shapes agree, the inputs of the softmax are stored in the memory of the gradients. The
  // softmax reads a row of q before it writes that row's gradient, and copies k before it starts.
  const bool in_place = gradients != nullptr && !form.squares;
  if (!in_place) workspace.queries.resize(p.rows * form.width);
  if (!in_place || p.own != nullptr) workspace.keys.resize(form.columns * form.width);
  float* queries = in_place ? gradients->q : workspace.queries.data();
  float* keys = in_place && p.own == nullptr ? gradients->targets : workspace.keys.data();
  workspace.bias.resize(form.columns);
  workspace.q_norms.resize(p.rows);
  workspace.k_norms.resize(form.columns);
  float* bias = form.biased ? workspace.bias.data() : nullptr;
  float* q_norms = workspace.q_norms.data();
  float* k_norms = workspace.k_norms.data();
  widen_queries(form, q_norms, queries);
  widen_keys(form, k_norms, keys, bias);
  SoftmaxProblem softmax{.rows = p.rows,
                         .columns = form.columns,
                         .width = form.width,
                         .q = queries,
                         .k = keys,
                         .bias = bias,
                         .clamp = p.clamp,
                         .excluded = p.own == nullptr ? -1 : p.rows};
  if (bound(form) > kLargeLogits) {
    workspace.exact_queries.resize(p.rows * form.width);
    workspace.exact_keys.resize(form.columns * form.width);
    workspace.exact_bias.resize(form.columns);
    softmax.exact_q = workspace.exact_queries.data();
    softmax.exact_k = workspace.exact_keys.data();
    softmax.exact_bias = form.biased ? workspace.exact_bias.data() : nullptr;
    widen_queries<double>(form, nullptr, workspace.exact_queries.data());
    widen_keys<double>(form, nullptr, workspace.exact_keys.data(), workspace.exact_bias.data());
  }
  if (gradients == nullptr) return softmax_cross_entropy(softmax, {}, workspace.softmax);
  const double loss = softmax_cross_entropy(softmax, {queries, keys, bias}, workspace.softmax);
  if (p.weights != Weights::kRows) {
    sum_weights(form, q_norms, queries, nullptr, k_norms, bias, gradients->concentration);
  }
  return_queries(form, q_norms, queries, nullptr, *gradients);
  return_keys(form, k_norms, keys, bias, *gradients);
  return loss;
}

std::optional<double> contrastive_two_way(const ContrastiveProblem& p,
                                          const ContrastiveGradients* gradients,
                                          ContrastiveWorkspace& workspace) {
  const Form form(p);
  if (!form.biased || p.own != nullptr || bound(form) > kLargeLogits) return {};
  workspace.queries.resize(gradients == nullptr ? p.rows * p.width : 0);
  workspace.keys.resize(gradients == nullptr ? p.rows * p.width : 0);
  workspace.bias.resize(p.rows);
  workspace.row_bias.resize(p.rows);
  workspace.q_norms.resize(p.rows);
  workspace.k_norms.resize(p.rows);
  float* queries = gradients == nullptr ? workspace.queries.data() : gradients->q;
  float* keys = gradients == nullptr ? workspace.keys.data() : gradients->targets;
  float* bias = workspace.bias.data();
  float* row_bias = workspace.row_bias.data();
  float* q_norms = workspace.q_norms.data();
  float* k_norms = workspace.k_norms.data();
  ContrastiveProblem mirrored = p;
  std::swap(mirrored.q, mirrored.targets);
  widen_keys(Form(mirrored), q_norms, queries, row_bias);  // for row_bias: sources are the keys
  widen_queries(form, q_norms, queries);
  widen_keys(form, k_norms, keys, bias);
  const TwoWayGradients into =
      gradients == nullptr ? TwoWayGradients{} : TwoWayGradients{queries, keys, row_bias, bias};
  const auto loss = two_way_cross_entropy({p.rows, p.width, queries, keys, row_bias, bias}, into,
                                          workspace.two_way);
  if (!loss || gradients == nullptr) return loss;
  sum_weights(form, q_norms, queries, row_bias, k_norms, bias, gradients->concentration);
  return_queries(form, q_norms, queries, row_bias, *gradients);
  return_keys(form, k_norms, keys, bias, *gradients);
  return loss;
}

}  // namespace adassl::kernels
