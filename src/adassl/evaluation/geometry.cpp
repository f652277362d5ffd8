#include "adassl/evaluation/geometry.h"

#include "adassl/evaluation/blocks.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {

double rank_me(const Tensor& embeddings) {
  const Tensor singular = torch::linalg_svdvals(embeddings);
  const Tensor p = singular / singular.sum() + 1e-7;
  return (-(p * p.log()).sum()).exp().item<double>();
}

double alignment(const Tensor& a, const Tensor& b) {
  return (a - b).square().sum(1).mean().item<double>();
}

double uniformity(const Tensor& rows) {
  const Tensor squared = torch::pdist(rows).square();
  return (-2 * squared).exp().mean().log().item<double>();
}

void Geometry::run(const Subject& subject, Results& results) const {
  std::vector<Tensor> x;
  std::vector<Tensor> x_plus;
  for (const int64_t rows : pieces(subject.source, options_.pairs)) {
    const Batch batch = subject.source.pairs(subject.stream("geometry", x.size()), rows);
    x.push_back(embed(subject.method, batch.x));
    x_plus.push_back(embed(subject.method, batch.x_plus));
  }
  const Tensor raw = torch::cat(x);
  const Tensor a = nn::normalise(raw);
  const Tensor b = nn::normalise(torch::cat(x_plus));
  results.metrics["rankme"] = rank_me(raw);
  results.metrics["alignment"] = alignment(a, b);
  results.metrics["uniformity"] = uniformity(a);
}

}  // namespace adassl::evaluation
