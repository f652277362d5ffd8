#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "adassl/kernels/mlp.h"
#include "kernels/cases.h"

/// A network with its batches, and the results of the kernel.
namespace adassl::kernels {

using Floats = std::vector<float>;

struct PlainLayer {
  int64_t in = 0, out = 0;
  float slope = 1;
  Floats weight, bias;               // no bias: empty
  Floats gain, shift;                // no norm: empty
  Floats running_mean, running_var;  // as they are before the pass
  bool norm() const { return !gain.empty(); }
};

struct MlpCase {
  std::vector<PlainLayer> layers;
  std::vector<int64_t> rows;                // of each view
  std::vector<Floats> x, y_gradients;       // of each view
  std::vector<bool> wants_x, wants_weight;  // gradients, of each view and of each layer
  std::string what;
};

struct MlpAnswer {
  std::vector<Floats> y, x;                       // outputs; gradients of x
  std::vector<Floats> weight, bias, gain, shift;  // gradients
  std::vector<Floats> running_mean, running_var;  // after the pass
  bool operator==(const MlpAnswer&) const = default;
};

inline MlpAnswer run(const MlpCase& c, MlpPass& pass,
                     MlpPass::Mode mode = MlpPass::Mode::kTraining) {
  MlpAnswer out;
  const auto pointer = [](Floats& values) { return values.empty() ? nullptr : values.data(); };
  const auto place = [&](std::vector<Floats>& list, size_t size) {
    list.emplace_back(size, -77.0F);  // must be overwritten
    return pointer(list.back());
  };
  for (const PlainLayer& layer : c.layers) {
    out.running_mean.push_back(layer.running_mean);
    out.running_var.push_back(layer.running_var);
  }
  std::vector<MlpLayer> layers;
  for (size_t l = 0; l < c.layers.size(); ++l) {
    const PlainLayer& from = c.layers[l];
    layers.push_back({from.in, from.out, from.weight.data(),
                      from.bias.empty() ? nullptr : from.bias.data(), MlpNorm{}, from.slope});
    if (!from.norm()) continue;
    layers.back().norm = {from.gain.data(), from.shift.data(), pointer(out.running_mean[l]),
                          pointer(out.running_var[l])};
  }
  std::vector<MlpView> views;
  std::vector<float*> y;
  for (size_t v = 0; v < c.rows.size(); ++v) {
    views.push_back({c.rows[v], c.x[v].data()});
    y.push_back(place(out.y, static_cast<size_t>(c.rows[v] * c.layers.back().out)));
  }
  pass.forward(layers, views, y, mode);
  if (mode == MlpPass::Mode::kInference) return out;

  std::vector<const float*> from;
  std::vector<float*> x;
  for (size_t v = 0; v < c.rows.size(); ++v) {
    from.push_back(c.y_gradients[v].data());
    x.push_back(place(out.x, c.wants_x[v] ? c.x[v].size() : 0));
  }
  std::vector<MlpLayerGradients> gradients;
  for (size_t l = 0; l < c.layers.size(); ++l) {
    const PlainLayer& layer = c.layers[l];
    const size_t wanted = c.wants_weight[l] ? 1 : 0;
    gradients.push_back({place(out.weight, wanted * layer.weight.size()),
                         place(out.bias, layer.bias.size()), place(out.gain, layer.gain.size()),
                         place(out.shift, wanted * layer.shift.size())});
  }
  pass.backward(layers, from, gradients, x);
  return out;
}

inline MlpAnswer run(const MlpCase& c, MlpPass::Mode mode = MlpPass::Mode::kTraining) {
  MlpPass pass;
  return run(c, pass, mode);
}

/// The values from which the shape of a case is drawn.
struct MlpSizes {
  std::vector<int64_t> widths = {1, 5, 6, 7, 63, 64, 65, 100, 130, 0};  // 0: any
  std::vector<int64_t> rows = {1, 2, 63, 64, 65, 0, 0, 0, 0, 700};
  int64_t most_layers = 5, most_views = 4;
};

inline MlpCase draw_case(Draws& draw, const MlpSizes& sizes = {}) {
  MlpCase c;
  const auto among = [&](const std::vector<int64_t>& values, int64_t most) {
    const int64_t value =
        values[static_cast<size_t>(draw.integer(0, static_cast<int64_t>(values.size()) - 1))];
    return value == 0 ? draw.integer(1, most) : value;
  };
  const int64_t layers = draw.integer(1, sizes.most_layers);
  const bool norm = draw.coin();  // if false, no layer has a norm
  const bool bias = draw.coin(0.8);
  const float slopes[] = {0.0F, 0.01F, 0.2F, 1.0F};
  int64_t in = among(sizes.widths, 130);
  c.what = std::to_string(in);
  for (int64_t l = 0; l < layers; ++l) {
    const bool hidden = l + 1 < layers;
    PlainLayer layer;
    layer.in = in;
    layer.out = among(sizes.widths, 130);
    layer.weight = draw.normals(in * layer.out, 1.2 / std::sqrt(static_cast<double>(in)));
    if (hidden) layer.slope = slopes[draw.integer(0, 3)];
    if (bias) layer.bias = draw.normals(layer.out, 0.3);
    if (hidden && norm && draw.coin(0.8)) {
      for (int64_t f = 0; f < layer.out; ++f) {
        layer.gain.push_back(static_cast<float>(draw.uniform(0.5, 1.5)));
        layer.running_var.push_back(static_cast<float>(draw.uniform(0.5, 2)));
      }
      layer.shift = draw.normals(layer.out, 0.3);
      layer.running_mean = draw.normals(layer.out, 0.3);
      if (draw.coin(0.8)) layer.bias.clear();
    }
    in = layer.out;
    c.what += (layer.norm() ? " norm " : " - ") + std::to_string(in);
    c.layers.push_back(std::move(layer));
    c.wants_weight.push_back(draw.coin(0.8));
  }
  const int64_t views = draw.integer(1, sizes.most_views);
  for (int64_t v = 0; v < views; ++v) {
    // A norm over two samples returns +-1 whatever their values are, so almost no gradient passes.
    // The first view has more samples and shows the usual size of gradients.
    const int64_t least = norm ? (v == 0 ? 8 : 2) : 1;
    c.rows.push_back(std::max(among(sizes.rows, 130), least));
    c.x.push_back(draw.normals(c.rows.back() * c.layers[0].in));
    c.y_gradients.push_back(draw.normals(c.rows.back() * in));
    c.wants_x.push_back(draw.coin(0.7));
    c.what += (v == 0 ? ", rows " : " + ") + std::to_string(c.rows.back());
  }
  return c;
}

}  // namespace adassl::kernels
