#include "adassl/evaluation/queries.h"

#include <utility>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/change_map.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

EncodedPairs encoded_pairs(const Subject& subject, int64_t count) {
  auto& predicts = require<model::Predicts>(subject.method);
  const auto columns = look_at_pairs(subject, "retrieval/pairs", count, [&](const Batch& batch) {
    const auto encode = [&](const Tensor& block) { return predicts.encode(block); };
    const auto target = [&](const Tensor& block) { return predicts.target(block); };
    return std::vector{in_blocks(nn::view(batch.x), encode),
                       nn::view(batch.change).clone(),  // outlives the batch
                       in_blocks(nn::view(batch.x_plus), target)};
  });
  return {columns[0], columns[1], columns[2]};
}

/// The r that the trained map gives for the true change of each future: [S n, d_r].
Tensor told_r(const Subject& subject, const Futures& futures, const RetrievalOptions& options) {
  const ChangeMap map(require<model::Predicts>(subject.method),
                      encoded_pairs(subject, options.pairs),
                      {options.hidden, options.steps, options.batch, options.learning_rate},
                      subject.stream("retrieval/map"), *subject.compute);
  return map(nn::view(futures.change));
}

}  // namespace

std::string obstacle_to_retrieval(const Subject& subject) {
  if (const auto line = obstacle_without<model::Predicts>(subject); !line.empty()) return line;
  const data::Source::Shape shape = subject.source.shape();
  if (!shape.continues) return "the data does not provide several futures of one x";
  const bool needs_change = require<model::Predicts>(subject.method).r_width() > 0;
  return needs_change && shape.change == 0
             ? "the method's r needs the true change, which the data does not provide"
             : "";
}

RetrievalQueries retrieval_queries(const Subject& subject, const RetrievalOptions& options) {
  auto& predicts = require<model::Predicts>(subject.method);
  Futures futures =
      subject.source.futures(subject.stream("futures"), 0, options.sources, options.futures);
  Gallery pool = gallery(predicts, futures.x_plus);
  const Tensor e = in_blocks(nn::view(futures.x), [&](const Tensor& x) {
                     return predicts.encode(x);
                   }).repeat_interleave(options.futures, 0);
  const Tensor r = predicts.r_width() > 0 ? told_r(subject, futures, options)
                                          : torch::zeros({e.size(0), 0}, e.options());
  const Tensor queries = nn::normalise(predicts.predict(e, r).to(torch::kFloat64));
  return {std::move(futures), std::move(pool), queries};
}

}  // namespace adassl::evaluation
