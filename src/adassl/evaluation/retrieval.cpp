#include "adassl/evaluation/retrieval.h"

#include <algorithm>

#include "adassl/evaluation/blocks.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

EncodedPairs encoded_pairs(const Subject& subject, int64_t count) {
  std::vector<Tensor> e;
  std::vector<Tensor> change;
  std::vector<Tensor> target;
  for (const int64_t rows : pieces(subject.source, count)) {
    const Batch batch = subject.source.pairs(subject.stream("retrieval/pairs", e.size()), rows);
    e.push_back(in_blocks(nn::view(batch.x),
                          [&](const Tensor& block) { return subject.method.encode(block); }));
    target.push_back(in_blocks(nn::view(batch.x_plus),
                               [&](const Tensor& block) { return subject.method.target(block); }));
    change.push_back(nn::view(batch.change).clone());  // outlives the batch
  }
  return {torch::cat(e), torch::cat(change), torch::cat(target)};
}

void add(Results& results, const std::string& suffix, const Tensor& ranks) {
  const auto hit = [&](int64_t k) {
    return (ranks <= k).to(torch::kFloat64).mean().item<double>();
  };
  results.metrics["mrr" + suffix] = (1 / ranks).mean().item<double>();
  results.metrics["hit1" + suffix] = hit(1);
  results.metrics["hit5" + suffix] = hit(5);
}

}  // namespace

Ranks rank(const Tensor& queries, const Tensor& truth, const Tensor& gallery,
           const Tensor& copies) {
  constexpr int64_t kBlock = 512;
  const Tensor weight = copies.to(torch::kFloat64);
  std::vector<Tensor> more;
  std::vector<Tensor> at_least;
  for (int64_t first = 0; first < queries.size(0); first += kBlock) {
    const int64_t rows = std::min(kBlock, queries.size(0) - first);
    const Tensor similarity = queries.narrow(0, first, rows).matmul(gallery.t());  // [B, M]
    ADASSL_CHECK(similarity.isfinite().all().item<bool>(),
                 "[retrieval] expected finite predictions and embeddings, got others");
    const Tensor own = similarity.gather(1, truth.narrow(0, first, rows).unsqueeze(1));
    more.push_back((similarity > own).to(torch::kFloat64).matmul(weight));
    at_least.push_back((similarity >= own).to(torch::kFloat64).matmul(weight));
  }
  return {1 + torch::cat(more), torch::cat(at_least)};
}

void Retrieval::run(const Subject& subject, Results& results) const {
  const int64_t r_width = subject.method.r_width();
  if (r_width > 0 && subject.source.shape().change == 0) return;
  const auto futures =
      subject.source.futures(subject.stream("futures"), 0, options_.sources, options_.futures);
  if (!futures) return;
  const Gallery pool = gallery(subject.method, futures->x_plus);
  const Tensor e = in_blocks(nn::view(futures->x), [&](const Tensor& x) {
                     return subject.method.encode(x);
                   }).repeat_interleave(options_.futures, 0);
  Tensor r = torch::zeros({e.size(0), 0}, e.options());
  if (r_width > 0) {
    const ChangeMap map(subject.method, encoded_pairs(subject, options_.pairs),
                        {options_.hidden, options_.steps, options_.batch, options_.learning_rate},
                        subject.stream("retrieval/map"));
    r = map(nn::view(futures->change));
  }
  const Tensor queries = nn::normalise(subject.method.predict(e, r).to(torch::kFloat64));
  const Tensor truth = torch::tensor(pool.kinds.of_row, torch::kInt64);
  const Ranks ranks =
      rank(queries, truth, pool.embeddings, torch::tensor(pool.kinds.copies, torch::kInt64));
  add(results, "", ranks.optimistic);
  add(results, "_pessimistic", ranks.pessimistic);
  const Tensor miss = queries - pool.rows(0, queries.size(0));
  results.metrics["retrieval_error"] = miss.square().sum(1).mean().item<double>();
}

}  // namespace adassl::evaluation
