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

double share_of_identical(const Array& x, const Array& x_plus) {
  const Tensor same = nn::view(x).flatten(1).eq(nn::view(x_plus).flatten(1)).all(1);
  return same.to(torch::kFloat64).mean().item<double>();
}

namespace {

void add_geometry(const Tensor& raw, const Tensor& raw_plus, Results& results) {
  const Tensor a = nn::normalise(raw);
  const Tensor b = nn::normalise(raw_plus);
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

}  // namespace

bool Geometry::fits(const data::Source& source) const {
  return !source.fixed_size(source.held_out());
}

void Geometry::run(const Subject& subject, Results& results) const {
  if (subject.watching) return watch(subject, results);
  const auto columns = look_at_pairs(subject, "geometry", options_.pairs, [&](const Batch& batch) {
    return std::vector{embed(subject.method, batch.x), embed(subject.method, batch.x_plus)};
  });
  add_geometry(columns[0], columns[1], results);
}

void Geometry::watch(const Subject& subject, Results& results) const {
  const Batch batch = subject.pairs(subject.stream("geometry"), options_.pairs);
  const Tensor raw = embed(subject.method, batch.x);
  add_geometry(raw, embed(subject.method, batch.x_plus), results);
  results.add({.name = "rankme_share",
               .label = "RankMe by width",
               .about = "RankMe, divided by the width of the embedding",
               .range = kShareRange},
              results.metrics.at("rankme") / static_cast<double>(raw.size(1)));
  results.add(
      {.name = "watched_pairs",
       .label = "watched pairs",
       .about = subject.source.holds_pairs_out() ? "held-out pairs, which training never sees"
                                                 : "pairs of training, since too few are held out"},
      static_cast<double>(batch.x.rows()));
  results.add({.name = "identical_pairs",
               .label = "identical pairs",
               .about = "share of the watched pairs whose x and x+ are the same",
               .range = kShareRange},
              share_of_identical(batch.x, batch.x_plus));
}

}  // namespace adassl::evaluation
