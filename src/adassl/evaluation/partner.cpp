#include "adassl/evaluation/partner.h"

#include <algorithm>

#include "adassl/evaluation/classification.h"
#include "adassl/evaluation/columns.h"
#include "adassl/evaluation/logistic.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

/// Pairs as a classifier sees them, in double precision, and what it has to name.
struct Pairs {
  Tensor x;        // [N, d] embeddings of x
  Tensor r;        // [N, d_r]
  Tensor classes;  // [N, K] of x+, integers
};

Pairs inferred(const Subject& subject, int64_t count) {
  constexpr int64_t kBatch = 512;  // small, because the method encodes all views of a batch at once
  auto& infers = require<model::InfersR>(subject.method);
  std::vector<Tensor> x, r, classes;
  count = std::min(count, subject.source.pair_count().value_or(count));
  for (int64_t done = 0; done < count; done += kBatch) {
    const Batch batch = subject.pairs("partner", {done, std::min(kBatch, count - done), x.size()});
    const model::Usage usage =
        infers.usage(model::views(batch), subject.stream("partner/noise", r.size()));
    // Copies: r may be a view of the batch itself.
    r.push_back(usage.draws.front().r.to(torch::kFloat64, /*non_blocking=*/false, /*copy=*/true));
    x.push_back(embed(subject.method, batch.x).to(torch::kFloat64));
    classes.push_back(nn::view(batch.classes_plus).to(torch::kInt64));
  }
  return {torch::cat(x), torch::cat(r), torch::cat(classes)};
}

/// The share of the second half whose class a classifier names that was fitted on the first half.
double told(const Tensor& features, const Tensor& known, const Tensor& truth, int64_t classes,
            int64_t max_iterations) {
  const int64_t half = known.size(0);
  const Classifier classifier =
      fit_logistic(features.narrow(0, 0, half), known, classes, {.max_iterations = max_iterations});
  return accuracy(classifier.classify(features.narrow(0, half, truth.size(0))), truth);
}

Metric described(const std::string& name, const Column& column, const std::string& from,
                 int64_t order) {
  return {.name = join("partner_", name, "_", column.name),
          .label = join(column.name, " of x+, ", from),
          .about = "accuracy on pairs that the classifier was not fitted on",
          .range = kShareRange,
          .section = kLatentSection,
          .order = order};
}

}  // namespace

std::string Partner::obstacle(const Subject& subject) const {
  if (!subject.source.shape().pair_classes) return "pairs do not come with the classes of x+";
  if (const auto line = obstacle_without<model::InfersR>(subject); !line.empty()) return line;
  const auto* predicts = model::offers<model::Predicts>(subject.method);
  return predicts == nullptr || predicts->r_width() == 0 ? "the method has no r" : "";
}

void Partner::run(const Subject& subject, Results& results) const {
  const Pairs pairs = inferred(subject, options_.pairs);
  const int64_t half = pairs.x.size(0) / 2;
  const Tensor both = torch::cat({pairs.x, pairs.r}, 1);
  const std::vector<Column> columns = class_columns(subject.source.shape().columns);
  for (size_t k = 0; k < columns.size(); ++k) {
    const Tensor all = pairs.classes.select(1, static_cast<int64_t>(k)).contiguous();
    const Tensor known = all.narrow(0, 0, half);
    const Tensor truth = all.narrow(0, half, all.size(0) - half);
    const int64_t classes = columns[k].class_count();
    const auto from = [&](const Tensor& features) {
      return told(features, known, truth, classes, options_.max_iterations);
    };
    results.add(described("chance", columns[k], "always the commonest", 30),
                chance_of_top_k(known, truth, classes, 1));
    results.add(described("from_x", columns[k], "told by x", 31), from(pairs.x));
    results.add(described("from_r", columns[k], "told by r", 32), from(pairs.r));
    results.add(described("from_x_and_r", columns[k], "told by x and r", 33), from(both));
  }
}

}  // namespace adassl::evaluation
