#include "adassl/evaluation/retrieval.h"

#include <algorithm>
#include <functional>

#include "adassl/core/error.h"

namespace adassl::evaluation {
namespace {

/// Calls use(first, similarity [B, M]) for blocks of queries. All results are computed from these
/// products, because products of other blocks could be rounded differently.
void for_each_block(const Tensor& queries, const Tensor& gallery,
                    const std::function<void(int64_t, const Tensor&)>& use) {
  constexpr int64_t kBlock = 512;
  for (int64_t first = 0; first < queries.size(0); first += kBlock) {
    const int64_t rows = std::min(kBlock, queries.size(0) - first);
    const Tensor similarity = queries.narrow(0, first, rows).matmul(gallery.t());
    ADASSL_CHECK(
        similarity.isfinite().all().item<bool>(),
        "[retrieval] expected finite predictions and embeddings, got NaN or infinite values");
    use(first, similarity);
  }
}

void add(Results& results, const std::string& suffix, const std::string& note,
         const Tensor& ranks) {
  const auto hit = [&](int64_t k) {
    return (ranks <= k).to(torch::kFloat64).mean().item<double>();
  };
  const auto share = [&](const std::string& name, const std::string& label) {
    return Metric{.name = name + suffix,
                  .label = label + note,
                  .better = Better::kHigher,
                  .range = kShareRange};
  };
  results.add(share("mrr", "MRR"), mean_reciprocal(ranks));
  results.add(share("hit1", "Hit@1"), hit(1));
  results.add(share("hit5", "Hit@5"), hit(5));
}

}  // namespace

Ranks rank(const Tensor& queries, const Tensor& truth, const Tensor& gallery,
           const Tensor& copies) {
  const Tensor weight = copies.to(torch::kFloat64);
  std::vector<Tensor> more;
  std::vector<Tensor> at_least;
  for_each_block(queries, gallery, [&](int64_t first, const Tensor& similarity) {
    const Tensor sought = truth.narrow(0, first, similarity.size(0)).unsqueeze(1);
    const Tensor own = similarity.gather(1, sought);
    more.push_back((similarity > own).to(torch::kFloat64).matmul(weight));
    at_least.push_back((similarity >= own).to(torch::kFloat64).matmul(weight));
  });
  return {1 + torch::cat(more), torch::cat(at_least)};
}

Ranks rank(const RetrievalQueries& asked) {
  const DistinctRows& distinct = asked.pool.distinct;
  return rank(asked.queries, torch::tensor(distinct.of_row, torch::kInt64), asked.pool.embeddings,
              torch::tensor(distinct.copies, torch::kInt64));
}

double mean_reciprocal(const Tensor& ranks) { return (1 / ranks).mean().item<double>(); }

Tensor closest(const Tensor& queries, const Tensor& gallery, int64_t count) {
  std::vector<Tensor> out;
  for_each_block(queries, gallery, [&](int64_t, const Tensor& similarity) {
    const auto sorted = torch::sort(similarity, /*stable=*/true, /*dim=*/1, /*descending=*/true);
    out.push_back(std::get<1>(sorted).narrow(1, 0, std::min(count, gallery.size(0))).clone());
  });
  return torch::cat(out);
}

void Retrieval::run(const Subject& subject, Results& results) const {
  const RetrievalQueries asked = retrieval_queries(subject, options_);
  const Ranks ranks = rank(asked);
  add(results, "", "", ranks.optimistic);
  add(results, "_pessimistic", ", ties against", ranks.pessimistic);
  const Tensor miss = asked.queries - asked.pool.rows(0, asked.queries.size(0));
  results.add(
      {.name = "retrieval_error", .label = "error of predictions", .better = Better::kLower},
      miss.square().sum(1).mean().item<double>());
}

}  // namespace adassl::evaluation
