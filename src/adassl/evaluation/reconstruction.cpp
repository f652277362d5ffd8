#include "adassl/evaluation/reconstruction.h"

#include <algorithm>

#include "adassl/evaluation/blocks.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {

bool Reconstruction::fits(const data::Source& source) const {
  return source.shape().observation.size() == 3;  // channels, height, width
}

void Reconstruction::run(const Subject& subject, Results& results) const {
  auto& reconstructs = require<model::Reconstructs>(subject.method);
  double error = 0, count = 0;
  Tensor sum, squares;  // [...] over samples
  const auto add_block = [&](const Tensor& block) {
    const Tensor x = nn::unit_pixels(block).to(torch::kFloat64);
    const Tensor rebuilt = reconstructs.decode(subject.method.embed(block)).to(torch::kFloat64);
    error += (rebuilt - x).square().sum().item<double>();
    count += static_cast<double>(x.size(0));
    sum = sum.defined() ? sum + x.sum(0) : x.sum(0);
    squares = squares.defined() ? squares + x.square().sum(0) : x.square().sum(0);
    return torch::empty({0}, x.options());
  };
  look_at_scored(subject, "reconstruction", options_.samples, [&](const Samples& samples) {
    return std::vector{in_blocks(nn::view(samples.x), add_block)};
  });
  const double variation = (squares - sum.square() / count).sum().item<double>();
  results.add({.name = "reconstruction_mse",
               .label = "reconstruction, squared error",
               .about = "mean squared error of a number of an observation",
               .better = Better::kLower},
              error / (count * static_cast<double>(sum.numel())));
  results.add({.name = "reconstruction_r2",
               .label = "R² of reconstructions",
               .about = "over all numbers of observations",
               .better = Better::kHigher,
               .range = kRSquaredRange,
               .section = kResultsSection,
               .order = 10},
              1 - error / std::max(variation, 1e-300));
}

}  // namespace adassl::evaluation
