#include "adassl/evaluation/partner.h"

#include "adassl/evaluation/classification.h"
#include "adassl/evaluation/columns.h"
#include "adassl/evaluation/inferred_r.h"
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
  const auto stream_of = [&](const char* name) {
    return [&subject, name](uint64_t number) { return subject.stream(name, number); };
  };
  const auto look = [&](const Batch& batch, const Tensor& r) {
    return std::vector{embed(subject.method, batch.x),
                       r.to(torch::kFloat64, /*non_blocking=*/false, /*copy=*/true),
                       nn::view(batch.classes_plus).to(torch::kInt64)};
  };
  const auto columns =
      look_at_inferred(subject, count, {stream_of("partner"), stream_of("partner/noise")}, look);
  return {columns[0], columns[1], columns[2]};
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
