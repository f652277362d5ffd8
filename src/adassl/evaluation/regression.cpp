#include "adassl/evaluation/regression.h"

#include <optional>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

struct Embedded {
  Tensor embeddings;  // [N, d]
  Tensor factors;     // [N, F]
};

Embedded embedded(const Subject& subject, const std::string& population, const std::string& split,
                  int64_t count) {
  std::vector<Tensor> embeddings, factors;
  for (const int64_t rows : pieces(subject.source, count)) {
    const Samples samples = subject.source.samples(
        population, subject.stream("regression/" + population + "/" + split, embeddings.size()),
        rows);
    embeddings.push_back(embed(subject.method, samples.x));
    factors.push_back(nn::view(samples.factors).to(torch::kFloat64));
  }
  return {torch::cat(embeddings), torch::cat(factors)};
}

void add(Results& results, const std::string& name, const Tensor& per_factor) {
  results.metrics["r2_" + name] = per_factor.mean().item<double>();
  const double* values = per_factor.data_ptr<double>();
  results.vectors["r2_" + name + "_per_factor"] = {values, values + per_factor.numel()};
}

}  // namespace

void Regression::run(const Subject& subject, Results& results) const {
  if (subject.source.shape().factors == 0) return;
  std::optional<AffineMap> first;
  auto populations = subject.source.populations();
  // Of a fixed list the samples to fit on would be those to score on.
  std::erase_if(populations,
                [&](const auto& p) { return subject.source.fixed_size(p).has_value(); });
  for (size_t i = 0; i < populations.size(); ++i) {
    const auto train = embedded(subject, populations[i], "train", options_.train_samples);
    const auto test = embedded(subject, populations[i], "test", options_.test_samples);
    const AffineMap map = least_squares(train.embeddings, train.factors);
    add(results, populations[i], r_squared(map(test.embeddings), test.factors));
    if (i == 0) first = map;
    if (i == 1) add(results, "ood", r_squared((*first)(test.embeddings), test.factors));
  }
}

}  // namespace adassl::evaluation
