#include "adassl/kernels/contrastive.h"

#include <cmath>
#include <vector>

#include "adassl/kernels/threads.h"

namespace adassl::kernels {
namespace {

using Weights = ContrastiveProblem::Weights;

constexpr float kLeastNorm = 1e-12F;  // as torch::nn::functional::normalize
constexpr int64_t kRows = 128;        // of a task

template <class Work>
void for_rows(int64_t rows, const Work& work) {
  parallel_for((rows + kRows - 1) / kRows, [&](int64_t task) {
    const int64_t end = std::min(rows, (task + 1) * kRows);
    for (int64_t i = task * kRows; i < end; ++i) work(i);
  });
}

/// What multiplies a row to make it a unit vector.
float inverse_norm(const float* row, int64_t width, bool hypersphere) {
  if (!hypersphere) return 1;
  float square = 0;
  for (int64_t f = 0; f < width; ++f) square += row[f] * row[f];
  return 1 / std::max(std::sqrt(square), kLeastNorm);
}

/// Turns the gradient of the unit vector u = x * inverse into that of x, in place.
void through_normalisation(const float* x, float inverse, int64_t width, bool hypersphere,
                           float* gradient) {
  if (!hypersphere) return;
  float along = 0;
  for (int64_t f = 0; f < width; ++f) along += gradient[f] * x[f] * inverse;
  if (inverse >= 1 / kLeastNorm) along = 0;  // the norm was held at its least
  for (int64_t f = 0; f < width; ++f) {
    gradient[f] = (gradient[f] - along * x[f] * inverse) * inverse;
  }
}

/// How a problem becomes one of the softmax.
struct Form {
  explicit Form(const ContrastiveProblem& problem)
      : p(problem),
        squares(!p.cosine && p.weights == Weights::kRows),
        biased(!p.cosine && !squares),
        width(squares ? 2 * p.width : p.width),
        columns(p.own == nullptr ? p.rows : 2 * p.rows) {}

  float weight(int64_t i, int64_t f) const {
    const int64_t at =
        p.weights == Weights::kOne ? 0 : (p.weights == Weights::kRows ? i * p.width + f : f);
    return p.concentration[at] / p.tau;
  }
  const float* candidate(int64_t j) const {
    return j < p.rows ? p.targets + j * p.width : p.own + (j - p.rows) * p.width;
  }

  const ContrastiveProblem& p;
  bool squares;     // [2 w u, -w] against [v, v^2]
  bool biased;      // 2 w u against v, and -sum w v^2 for the column
  int64_t width;    // of the softmax's rows
  int64_t columns;  // M
};

void widen_queries(const Form& form, float* q_norms, float* queries) {
  const ContrastiveProblem& p = form.p;
  const float factor = p.cosine ? 1.0F : 2.0F;
  for_rows(p.rows, [&](int64_t i) {
    const float* q = p.q + i * p.width;
    const float inverse = inverse_norm(q, p.width, p.hypersphere);
    q_norms[i] = inverse;
    float* to = queries + i * form.width;
    for (int64_t f = 0; f < p.width; ++f) {
      const float weight = form.weight(i, f);
      to[f] = factor * weight * q[f] * inverse;
      if (form.squares) to[p.width + f] = -weight;
    }
  });
}

void widen_keys(const Form& form, float* k_norms, float* keys, float* bias) {
  const ContrastiveProblem& p = form.p;
  for_rows(form.columns, [&](int64_t j) {
    const float* k = form.candidate(j);
    const float inverse = inverse_norm(k, p.width, p.hypersphere);
    k_norms[j] = inverse;
    float* to = keys + j * form.width;
    float sum = 0;
    for (int64_t f = 0; f < p.width; ++f) {
      const float v = k[f] * inverse;
      to[f] = v;
      if (form.squares) to[p.width + f] = v * v;
      if (form.biased) sum -= form.weight(0, f) * v * v;
    }
    if (form.biased) bias[j] = sum;
  });
}

/// Gradients of q, and row by row those of the weights.
void return_queries(const Form& form, const float* q_norms, const float* queries, float* q_gradient,
                    float* weight_rows) {
  const ContrastiveProblem& p = form.p;
  const float factor = p.cosine ? 1.0F : 2.0F;
  for_rows(p.rows, [&](int64_t i) {
    const float* q = p.q + i * p.width;
    const float* from = queries + i * form.width;
    float* to = q_gradient + i * p.width;
    for (int64_t f = 0; f < p.width; ++f) {
      const float gradient = from[f];
      float of_weight = factor * gradient * q[f] * q_norms[i];
      if (form.squares) of_weight -= from[p.width + f];
      weight_rows[i * p.width + f] = of_weight / p.tau;
      to[f] = factor * form.weight(i, f) * gradient;
    }
    through_normalisation(q, q_norms[i], p.width, p.hypersphere, to);
  });
}

/// Gradients of the candidates; the columns' share of the weights' goes into `bias_rows`.
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

/// Weights that rows share: sums over rows (and columns, through the bias), always in one order.
void sum_weights(const Form& form, const float* k_norms, const float* bias,
                 const float* weight_rows, float* gradient) {
  const ContrastiveProblem& p = form.p;
  const int64_t tasks = (form.columns + kRows - 1) / kRows;
  std::vector<double> sums(static_cast<size_t>(tasks * p.width));
  parallel_for(tasks, [&](int64_t task) {
    double* sum = sums.data() + task * p.width;
    for (int64_t j = task * kRows; j < std::min(form.columns, (task + 1) * kRows); ++j) {
      for (int64_t f = 0; f < p.width; ++f) {
        if (j < p.rows) sum[f] += weight_rows[j * p.width + f];
        if (!form.biased) continue;
        const double v = form.candidate(j)[f] * k_norms[j];
        sum[f] -= v * v * bias[j] / p.tau;
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
      gradient[f] = static_cast<float>(total[static_cast<size_t>(f)]);
    }
    return;
  }
  double all = 0;
  for (const double value : total) all += value;
  *gradient = static_cast<float>(all);
}

}  // namespace

int64_t ContrastiveWorkspace::bytes() const {
  int64_t sum = softmax.bytes();
  for (const Buffer* buffer : {&queries, &keys, &bias, &q_norms, &k_norms, &weight_rows}) {
    sum += buffer->bytes();
  }
  return sum;
}

double contrastive(const ContrastiveProblem& p, const ContrastiveGradients* gradients,
                   ContrastiveWorkspace& workspace) {
  const Form form(p);
  // Where the shapes agree, the gradients' own memory holds what the softmax reads: it reads a row
  // of q before it writes that row's gradient, and copies k before it starts.
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
  const SoftmaxProblem softmax{.rows = p.rows,
                               .columns = form.columns,
                               .width = form.width,
                               .q = queries,
                               .k = keys,
                               .bias = bias,
                               .clamp = p.clamp,
                               .excluded = p.own == nullptr ? -1 : p.rows};
  if (gradients == nullptr) return softmax_cross_entropy(softmax, {}, workspace.softmax);
  const double loss = softmax_cross_entropy(softmax, {queries, keys, bias}, workspace.softmax);
  float* weight_rows = gradients->concentration;
  if (p.weights != Weights::kRows) {
    workspace.weight_rows.resize(p.rows * p.width);
    weight_rows = workspace.weight_rows.data();
  }
  return_queries(form, q_norms, queries, gradients->q, weight_rows);
  if (p.weights != Weights::kRows) {
    sum_weights(form, k_norms, bias, weight_rows, gradients->concentration);
  }
  return_keys(form, k_norms, keys, bias, *gradients);
  return loss;
}

}  // namespace adassl::kernels
