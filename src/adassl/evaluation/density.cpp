#include "adassl/evaluation/density.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

struct Imagined {
  Tensor h;       // [N, d] one imagined embedding of x+
  Tensor target;  // [N, d] the embedding of x+
  Tensor truth;   // [N, F] the factors of x+
};

Imagined imagined(const Subject& subject, const std::string& split, int64_t count) {
  auto& imagines = require<model::Imagines>(subject.method);
  uint64_t block_number = 0;
  const auto columns = look_at_pairs(subject, "density/" + split, count, [&](const Batch& batch) {
    const Tensor h = in_blocks(nn::view(batch.x), [&](const Tensor& block) {
      const auto noise = subject.stream("density/noise/" + split, block_number++);
      return imagines.imagine(block, noise).to(torch::kFloat64);
    });
    return std::vector{h, embed(subject.method, batch.x_plus),
                       nn::view(batch.factors_plus).to(torch::kFloat64)};
  });
  return {columns[0], columns[1], columns[2]};
}

struct Limits {
  double low, high;
};

/// The range of the figure: the middle 99% of the true factors and a margin. With all of a heavy
/// tail, the bulk of the density would be too small to see.
Limits limits(const Tensor& truth) {
  const Tensor sorted = std::get<0>(truth.sort());
  const int64_t n = sorted.numel();
  const double low = sorted[n / 200].item<double>();
  const double high = sorted[n - 1 - n / 200].item<double>();
  const double margin = 0.15 * (high - low) + 1e-9;
  return {low - margin, high + margin};
}

std::vector<int64_t> histogram(const Tensor& x, const Tensor& y, Limits x_limits, Limits y_limits,
                               int64_t bins) {
  std::vector<int64_t> counts(static_cast<size_t>(bins * bins));
  const auto bin = [&](double value, Limits limit) {
    return static_cast<int64_t>(
        std::floor((value - limit.low) / (limit.high - limit.low) * static_cast<double>(bins)));
  };
  const auto xs = x.contiguous();
  const auto ys = y.contiguous();
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t column = bin(xs.data_ptr<double>()[i], x_limits);
    const int64_t row = bin(ys.data_ptr<double>()[i], y_limits);
    if (column < 0 || column >= bins || row < 0 || row >= bins) continue;
    ++counts[static_cast<size_t>(row * bins + column)];
  }
  return counts;
}

nlohmann::json panel(const Tensor& model, const Tensor& truth, int64_t i, int64_t j, int64_t bins) {
  const Limits x = limits(truth.select(1, i));
  const Limits y = limits(truth.select(1, j));
  return {{"x_label", fmt::format("c{}+", i + 1)},
          {"y_label", fmt::format("c{}+", j + 1)},
          {"x_range", {x.low, x.high}},
          {"y_range", {y.low, y.high}},
          {"bins", bins},
          {"model", histogram(model.select(1, i), model.select(1, j), x, y, bins)},
          {"truth", histogram(truth.select(1, i), truth.select(1, j), x, y, bins)}};
}

}  // namespace

double sliced_wasserstein(const Tensor& a, const Tensor& b, int64_t directions,
                          const random::Stream& stream) {
  const Tensor u = nn::normalise(nn::normal(directions, a.size(1), stream, a));  // [S, F]
  const Tensor a_sorted = std::get<0>(a.matmul(u.t()).sort(0));
  const Tensor b_sorted = std::get<0>(b.matmul(u.t()).sort(0));
  return (a_sorted - b_sorted).abs().mean().item<double>();
}

double energy_distance(const Tensor& a, const Tensor& b) {
  const auto n = static_cast<double>(a.size(0));
  const auto m = static_cast<double>(b.size(0));
  const double between = torch::cdist(a, b).mean().item<double>();
  const double within_a = 2 * torch::pdist(a).sum().item<double>() / (n * n);
  const double within_b = 2 * torch::pdist(b).sum().item<double>() / (m * m);
  return 2 * between - within_a - within_b;
}

std::string Density::obstacle(const Subject& subject) const {
  if (subject.source.shape().factors() < 2) return "the data provides fewer than two factors";
  return obstacle_without<model::Imagines>(subject);
}

bool Density::fits(const data::Source& source) const {
  return source.shape().factors() >= 2 && !source.fixed_size(source.held_out());
}

void Density::run(const Subject& subject, Results& results) const {
  const int64_t factors = subject.source.shape().factors();
  const Imagined train = imagined(subject, "train", options_.samples);
  const Imagined test = imagined(subject, "test", options_.samples);
  const AffineMap map =
      least_squares(options_.projection == "target" ? train.target : train.h, train.truth);
  const Tensor model = map(test.h);
  const Tensor scale = test.truth.std(0).clamp_min(1e-12);
  const Tensor a = model / scale;
  const Tensor b = test.truth / scale;
  const int64_t rows = std::min(options_.energy_samples, options_.samples);
  results.add({.name = "density_sliced_wasserstein",
               .label = "sliced Wasserstein",
               .better = Better::kLower,
               .section = kDensitySection,
               .order = 1},
              sliced_wasserstein(a, b, options_.directions, subject.stream("density/directions")));
  results.add({.name = "density_energy",
               .label = "energy distance",
               .better = Better::kLower,
               .section = kDensitySection,
               .order = 2},
              energy_distance(a.narrow(0, 0, rows), b.narrow(0, 0, rows)));
  nlohmann::json panels = nlohmann::json::array();
  for (int64_t i = 0; i + 1 < std::min<int64_t>(factors, 4); ++i) {
    panels.push_back(panel(model, test.truth, i, i + 1, options_.bins));
  }
  results.records.push_back({.kind = std::string(records::kDensity), .rest = {{"panels", panels}}});
}

}  // namespace adassl::evaluation
