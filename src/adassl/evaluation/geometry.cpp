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

bool Geometry::fits(const data::Source& source) const {
  return !source.fixed_size(source.held_out());
}

void Geometry::run(const Subject& subject, Results& results) const {
  const auto columns =
      in_pieces(subject.source, options_.pairs, [&](int64_t rows, uint64_t number) {
        const Batch batch = subject.source.pairs(subject.stream("geometry", number), rows);
        return std::vector{embed(subject.method, batch.x), embed(subject.method, batch.x_plus)};
      });
  const Tensor& raw = columns[0];
  const Tensor a = nn::normalise(raw);
  const Tensor b = nn::normalise(columns[1]);
  results.add({.name = "rankme",
               .label = "RankMe",
               .about = "effective rank of the embeddings; low means collapsed",
               .section = kGeometrySection,
               .order = 1},
              rank_me(raw));
  results.add({.name = "alignment",
               .label = "alignment",
               .about = "mean squared distance of the two embeddings of a pair; low is close",
               .section = kGeometrySection,
               .order = 2},
              alignment(a, b));
  results.add({.name = "uniformity",
               .label = "uniformity",
               .about = "log mean Gaussian potential; low is evenly spread",
               .section = kGeometrySection,
               .order = 3},
              uniformity(a));
}

}  // namespace adassl::evaluation
