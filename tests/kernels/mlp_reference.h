#pragma once

#include "kernels/mlp_case.h"

namespace adassl::kernels {

/// The same network by the plain formulas, sample by sample. In double precision it gives the
/// expected values; in float32 it shows the error that rounding alone causes.
template <class Real>
class MlpReference {
 public:
  using Reals = std::vector<Real>;
  explicit MlpReference(const MlpCase& c) : case_(c) {}

  /// Computes the outputs of all views. With `settled`, which is the case itself, its biases and
  /// shifts are moved so that no pre-activation lies at a kink, where the gradient is not defined
  /// and would depend on rounding. Returns false if a layer without bias and shift has a
  /// pre-activation at a kink, or if a norm divides by almost zero (as it does for two equal
  /// samples) and so magnifies rounding errors.
  bool forward(MlpPass::Mode mode, MlpCase* settled = nullptr);
  void backward();

  std::vector<Reals> y, x;                       // of each view; gradients of x
  std::vector<Reals> weight, bias, gain, shift;  // gradients of each layer
  std::vector<Reals> running_mean, running_var;

 private:
  struct Kept {                  // values of one layer and view
    Reals x, standard, inverse;  // [rows, in], [rows, out], [out]
    Reals u;                     // [rows, out] before the activation
  };
  void linear(const PlainLayer& layer, Kept& kept) const;
  void normalise(const PlainLayer& layer, MlpPass::Mode mode, size_t l, Kept& kept);
  bool settle(PlainLayer& layer, std::vector<Kept>& kept) const;
  bool divides_by_nothing(const std::vector<Kept>& kept) const;
  void norm_gradient(const PlainLayer& layer, size_t l, const Kept& kept, Reals& gradient);
  Reals linear_gradient(const PlainLayer& layer, size_t l, const Kept& kept, const Reals& gradient);

  const MlpCase& case_;
  std::vector<std::vector<Kept>> kept_;  // [layer][view]
};

template <class Real>
void MlpReference<Real>::linear(const PlainLayer& layer, Kept& kept) const {
  const auto in = static_cast<size_t>(layer.in);
  const auto out = static_cast<size_t>(layer.out);
  kept.u.resize(kept.x.size() / in * out);
  for (size_t at = 0; at < kept.u.size(); ++at) {
    const float* weights = &layer.weight[at % out * in];
    const Real* from = &kept.x[at / out * in];
    kept.u[at] = layer.bias.empty() ? 0 : layer.bias[at % out];
    for (size_t c = 0; c < in; ++c) kept.u[at] += weights[c] * from[c];
  }
}

template <class Real>
void MlpReference<Real>::normalise(const PlainLayer& layer, MlpPass::Mode mode, size_t l,
                                   Kept& kept) {
  const auto out = static_cast<size_t>(layer.out);
  const Real n = static_cast<Real>(kept.u.size() / out);
  kept.standard.resize(kept.u.size());
  kept.inverse.resize(out);
  for (size_t f = 0; f < out; ++f) {
    Real mean = running_mean[l][f];
    Real variance = running_var[l][f];
    if (mode == MlpPass::Mode::kTraining) {
      mean = variance = 0;
      for (size_t i = f; i < kept.u.size(); i += out) mean += kept.u[i] / n;
      for (size_t i = f; i < kept.u.size(); i += out) {
        variance += (kept.u[i] - mean) * (kept.u[i] - mean) / n;
      }
      const auto tenth = static_cast<Real>(0.1);
      running_mean[l][f] += tenth * (mean - running_mean[l][f]);
      running_var[l][f] += tenth * (variance * n / (n - 1) - running_var[l][f]);
    }
    kept.inverse[f] = 1 / std::sqrt(variance + static_cast<Real>(1e-5));
    for (size_t i = f; i < kept.u.size(); i += out) {
      kept.standard[i] = (kept.u[i] - mean) * kept.inverse[f];
      kept.u[i] = kept.standard[i] * layer.gain[f] + layer.shift[f];
    }
  }
}

/// Shifts each feature so that its kink falls into the widest gap between nearby values.
template <class Real>
bool MlpReference<Real>::settle(PlainLayer& layer, std::vector<Kept>& kept) const {
  const auto out = static_cast<size_t>(layer.out);
  Floats& movable = layer.norm() ? layer.shift : layer.bias;
  bool clear = true;
  for (size_t f = 0; f < out; ++f) {
    Reals values;
    for (const Kept& view : kept) {
      for (size_t i = f; i < view.u.size(); i += out) values.push_back(view.u[i]);
    }
    std::sort(values.begin(), values.end());
    values.insert(values.begin(), values.front() - 1);
    values.push_back(values.back() + 1);
    Real widest = 0;
    Real middle = 0;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const Real here = (values[i] + values[i + 1]) / 2;
      if (std::abs(here) > 0.5 || values[i + 1] - values[i] <= widest) continue;
      widest = values[i + 1] - values[i];
      middle = here;
    }
    Real moved = 0;
    if (!movable.empty()) {
      const float before = movable[f];
      movable[f] = static_cast<float>(before - middle);
      moved = static_cast<Real>(movable[f]) - before;
    }
    for (Kept& view : kept) {
      for (size_t i = f; i < view.u.size(); i += out) {
        view.u[i] += moved;
        clear = clear && std::abs(view.u[i]) > 1e-4;
      }
    }
  }
  return clear;
}

template <class Real>
bool MlpReference<Real>::divides_by_nothing(const std::vector<Kept>& kept) const {
  for (const Kept& view : kept) {
    for (const Real inverse : view.inverse) {
      if (inverse > 5) return true;
    }
  }
  return false;
}

template <class Real>
bool MlpReference<Real>::forward(MlpPass::Mode mode, MlpCase* settled) {
  for (const Floats& values : case_.x) y.emplace_back(values.begin(), values.end());
  for (size_t l = 0; l < case_.layers.size(); ++l) {
    const PlainLayer& layer = case_.layers[l];
    running_mean.emplace_back(layer.running_mean.begin(), layer.running_mean.end());
    running_var.emplace_back(layer.running_var.begin(), layer.running_var.end());
    std::vector<Kept>& kept = kept_.emplace_back(y.size());
    for (size_t v = 0; v < y.size(); ++v) {
      kept[v].x = std::move(y[v]);
      linear(layer, kept[v]);
      if (layer.norm()) normalise(layer, mode, l, kept[v]);
    }
    if (settled != nullptr && divides_by_nothing(kept)) return false;
    if (settled != nullptr && layer.slope != 1 && !settle(settled->layers[l], kept)) return false;
    for (size_t v = 0; v < y.size(); ++v) {
      y[v] = kept[v].u;
      for (Real& value : y[v]) value *= value > 0 ? 1 : layer.slope;
    }
  }
  return true;
}

/// Turns the gradient of the norm's output into that of its input, in place, and adds to the
/// gradients of gain and shift.
template <class Real>
void MlpReference<Real>::norm_gradient(const PlainLayer& layer, size_t l, const Kept& kept,
                                       Reals& gradient) {
  const auto out = static_cast<size_t>(layer.out);
  const Real n = static_cast<Real>(gradient.size() / out);
  for (size_t f = 0; f < out; ++f) {
    Real sum = 0;
    Real along = 0;
    for (size_t i = f; i < gradient.size(); i += out) {
      sum += gradient[i];
      along += gradient[i] * kept.standard[i];
    }
    shift[l][f] += sum;
    gain[l][f] += along;
    for (size_t i = f; i < gradient.size(); i += out) {
      const Real centred = gradient[i] - sum / n - kept.standard[i] * along / n;
      gradient[i] = layer.gain[f] * kept.inverse[f] * centred;
    }
  }
}

/// Returns the gradient of the layer's input; adds to those of weight and bias.
template <class Real>
typename MlpReference<Real>::Reals MlpReference<Real>::linear_gradient(const PlainLayer& layer,
                                                                       size_t l, const Kept& kept,
                                                                       const Reals& gradient) {
  const auto in = static_cast<size_t>(layer.in);
  const auto out = static_cast<size_t>(layer.out);
  Reals to(kept.x.size());
  for (size_t at = 0; at < gradient.size(); ++at) {
    const size_t f = at % out;
    const size_t row = at / out;
    if (!layer.bias.empty()) bias[l][f] += gradient[at];
    for (size_t c = 0; c < in; ++c) {
      weight[l][f * in + c] += gradient[at] * kept.x[row * in + c];
      to[row * in + c] += gradient[at] * layer.weight[f * in + c];
    }
  }
  return to;
}

template <class Real>
void MlpReference<Real>::backward() {
  for (const PlainLayer& layer : case_.layers) {
    weight.emplace_back(layer.weight.size());
    bias.emplace_back(layer.bias.size());
    gain.emplace_back(layer.gain.size());
    shift.emplace_back(layer.shift.size());
  }
  for (const Floats& values : case_.y_gradients) x.emplace_back(values.begin(), values.end());
  for (size_t l = case_.layers.size(); l-- > 0;) {
    const PlainLayer& layer = case_.layers[l];
    for (size_t v = 0; v < x.size(); ++v) {
      const Kept& kept = kept_[l][v];
      for (size_t i = 0; i < x[v].size(); ++i) x[v][i] *= kept.u[i] > 0 ? 1 : layer.slope;
      if (layer.norm()) norm_gradient(layer, l, kept, x[v]);
      x[v] = linear_gradient(layer, l, kept, x[v]);
    }
  }
}

}  // namespace adassl::kernels
