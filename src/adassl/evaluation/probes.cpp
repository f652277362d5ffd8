#include "adassl/evaluation/probes.h"

#include <algorithm>
#include <numeric>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/columns.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/evaluation/logistic.h"
#include "adassl/evaluation/neighbours.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

/// Embedded samples with their factors and labels, in double precision. Tensors that the source
/// does not provide stay undefined.
struct Embedded {
  Tensor representation;  // [N, D]
  Tensor embedding;       // [N, d]
  Tensor factors;         // [N, F]
  Tensor labels;          // [N, K]
};

Embedded look(const Subject& subject, const Samples& samples) {
  model::Method& method = subject.method;
  const Tensor representation =
      in_blocks(nn::view(samples.x), [&](const Tensor& block) { return method.represent(block); });
  Embedded out;
  out.representation = representation.to(torch::kFloat64);
  auto* predicts = model::offers<model::Predicts>(method);
  out.embedding = predicts == nullptr ? embed(method, samples.x)
                                      : in_blocks(representation, [&](const Tensor& block) {
                                          return predicts->project(block);
                                        }).to(torch::kFloat64);
  const std::vector<Column> columns = subject.source.shape().columns;
  out.factors = factors_of(columns, samples);
  out.labels = classes_of(columns, samples);
  return out;
}

/// Training samples. They are drawn fresh, so they can be drawn in pieces.
Embedded training_samples(const Subject& subject, int64_t count) {
  const std::string population = subject.source.populations().front();
  const int64_t there = subject.source.population_size(population).value_or(count);
  const auto columns =
      in_pieces(subject.source, std::min(count, there), [&](int64_t rows, uint64_t number) {
        const auto stream = subject.stream("probes/train", number);
        const Embedded seen = look(subject, subject.source.samples(population, stream, rows));
        return std::vector{seen.representation, seen.embedding, seen.factors, seen.labels};
      });
  return {columns[0], columns[1], columns[2], columns[3]};
}

/// Held-out samples, drawn in one call: if the population is a fixed list, every call starts at its
/// beginning.
Embedded test_samples(const Subject& subject, int64_t count) {
  const data::Source& source = subject.source;
  const std::string population = subject.watching ? source.watched() : source.held_out();
  const int64_t there = source.fixed_size(population).value_or(count);
  return look(subject,
              source.samples(population, subject.stream("probes/test"), std::min(count, there)));
}

double accuracy(const Tensor& predicted, const Tensor& labels) {
  return (predicted == labels).to(torch::kFloat64).mean().item<double>();
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Metric share(const std::string& name, const std::string& label) {
  return {.name = name, .label = label, .better = Better::kHigher, .range = kShareRange};
}

}  // namespace

std::string Probes::obstacle(const Subject& subject) const {
  return subject.source.shape().columns.empty() ? "the data provides neither classes nor factors"
                                                : "";
}

bool Probes::fits(const data::Source& source) const {
  return source.fixed_size(source.held_out()).has_value();
}

void Probes::run(const Subject& subject, Results& results) const {
  const data::Source::Shape shape = subject.source.shape();
  const Embedded train = training_samples(subject, options_.train_samples);
  const Embedded test = test_samples(subject, options_.test_samples);
  const auto probe = [&](const std::string& name, const Tensor& fit, const Tensor& score) {
    if (shape.factors() > 0) {
      const Tensor r2 = r_squared(least_squares(fit, train.factors)(score), test.factors);
      const Metric metric{.name = name + "_r2",
                          .label = "R², " + name,
                          .better = Better::kHigher,
                          .range = kRSquaredRange};
      results.add(metric, r2.mean().item<double>());
      const double* values = r2.data_ptr<double>();
      results.add(per_factor(metric), {values, values + r2.numel()});
    }
    const std::vector<Column> labels = class_columns(shape.columns);
    std::vector<double> accuracies, votes;
    bool converged = true;
    for (size_t k = 0; k < labels.size(); ++k) {
      const auto column = static_cast<int64_t>(k);
      const int64_t classes = labels[k].kind == Column::Kind::kBinary ? 2 : labels[k].classes;
      const Tensor known = train.labels.select(1, column).contiguous();
      const Tensor truth = test.labels.select(1, column);
      const Classifier classifier = fit_logistic(
          fit, known, classes, {options_.l2, options_.max_iterations, options_.tolerance});
      accuracies.push_back(accuracy(classifier.classify(score), truth));
      votes.push_back(accuracy(vote(score, fit, known, classes, options_.neighbours), truth));
      converged = converged && classifier.converged;
      if (labels.size() == 1) continue;
      const std::string& column_name = labels[k].name;
      results.add(
          share(name + "_accuracy_" + column_name, join("accuracy of ", column_name, ", ", name)),
          accuracies[k]);
    }
    if (labels.empty()) return;
    results.add(share(name + "_accuracy", "accuracy, " + name), mean(accuracies));
    results.add({.name = name + "_converged",
                 .label = "fit converged, " + name,
                 .about = "1 if the classifier's fit did, 0 if not",
                 .range = kShareRange},
                converged ? 1 : 0);
    results.add(share(name + "_knn", "kNN, " + name), mean(votes));
  };
  probe("representation", train.representation, test.representation);
  probe("embedding", train.embedding, test.embedding);
}

}  // namespace adassl::evaluation
