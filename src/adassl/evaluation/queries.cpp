#include "adassl/evaluation/queries.h"

#include <utility>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/change_map.h"
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

/// The r of each future, [S n, d_r].
Tensor told_r(const Subject& subject, const Futures& futures, const RetrievalOptions& options) {
  const ChangeMap map(subject.method, encoded_pairs(subject, options.pairs),
                      {options.hidden, options.steps, options.batch, options.learning_rate},
                      subject.stream("retrieval/map"));
  return map(nn::view(futures.change));
}

}  // namespace

std::optional<RetrievalQueries> retrieval_queries(const Subject& subject,
                                                  const RetrievalOptions& options) {
  const bool needs_change = subject.method.r_width() > 0;
  if (needs_change && subject.source.shape().change == 0) return {};
  auto futures =
      subject.source.futures(subject.stream("futures"), 0, options.sources, options.futures);
  if (!futures) return {};
  Gallery pool = gallery(subject.method, futures->x_plus);
  const Tensor e = in_blocks(nn::view(futures->x), [&](const Tensor& x) {
                     return subject.method.encode(x);
                   }).repeat_interleave(options.futures, 0);
  const Tensor r =
      needs_change ? told_r(subject, *futures, options) : torch::zeros({e.size(0), 0}, e.options());
  const Tensor queries = nn::normalise(subject.method.predict(e, r).to(torch::kFloat64));
  return RetrievalQueries{std::move(*futures), std::move(pool), queries};
}

}  // namespace adassl::evaluation
