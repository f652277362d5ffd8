#include "adassl/evaluation/probes.h"

#include <algorithm>
#include <numeric>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/classification.h"
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
  Tensor targets;         // [N, T] the factors as targets of a regression
  Tensor labels;          // [N, K]
};

Embedded look(const Subject& subject, const Samples& samples, bool normalised) {
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
  if (normalised) out.embedding = nn::normalise(out.embedding);
  const std::vector<Column> columns = subject.source.shape().columns;
  out.targets = targets_of(columns, samples);
  out.labels = classes_of(columns, samples);
  return out;
}

std::vector<Tensor> columns_of(const Embedded& of) {
  return {of.representation, of.embedding, of.targets, of.labels};
}

Embedded embedded_of(const std::vector<Tensor>& columns) {
  return {columns[0], columns[1], columns[2], columns[3]};
}

/// Training samples, fewer if there are fewer.
Embedded training_samples(const Subject& subject, int64_t count, bool normalised) {
  const std::string population = subject.source.populations().front();
  const int64_t there = subject.source.population_size(population).value_or(count);
  return embedded_of(look_at_samples(
      subject, population, "probes/train", std::min(count, there),
      [&](const Samples& samples) { return columns_of(look(subject, samples, normalised)); }));
}

Embedded test_samples(const Subject& subject, int64_t count, bool normalised) {
  return embedded_of(look_at_scored(subject, "probes/test", count, [&](const Samples& samples) {
    return columns_of(look(subject, samples, normalised));
  }));
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Metric share(const std::string& name, const std::string& label) {
  return {.name = name, .label = label, .better = Better::kHigher, .range = kShareRange};
}

/// The classes from which the first k are counted, if there are more.
constexpr int64_t kTop = 5;

/// Values of the columns of classes, for which the means are results.
struct Scores {
  std::vector<double> values;
  std::vector<std::string> columns;

  void add(const Column& column, double value) {
    values.push_back(value);
    columns.push_back(column.name);
  }
  void report(const Metric& metric, Results& results) const {
    if (!values.empty()) results.add(metric, mean(values));
  }
  /// Each column on its own: "..._knn_class", "kNN of class, ...".
  void report_each(const std::string& score, const std::string& label, const std::string& probed,
                   Results& results) const {
    for (size_t k = 0; k < values.size(); ++k) {
      results.add(share(join(probed, "_", score, "_", columns[k]),
                        join(label, " of ", columns[k], ", ", probed)),
                  values[k]);
    }
  }
};

/// What is probed: the representation or the embedding, of training and of held-out samples.
struct Probed {
  std::string name;
  const Tensor& fit;
  const Tensor& score;
};

void probe_factors(const Probed& probed, const std::vector<Column>& columns, const Embedded& train,
                   const Embedded& test, Results& results) {
  const AffineMap map = least_squares(probed.fit, train.targets);
  const Tensor r2 = r_squared_by_factor(columns, map(probed.score), test.targets);
  const Metric metric{.name = probed.name + "_r2",
                      .label = "R², " + probed.name,
                      .about = "0: as good as the mean of each factor",
                      .better = Better::kHigher,
                      .range = kRSquaredRange};
  results.add(metric, r2.mean().item<double>());
  const double* values = r2.data_ptr<double>();
  results.add(per_factor(metric, factor_names(columns)), {values, values + r2.numel()});
}

void probe_classes(const Probed& probed, const std::vector<Column>& labels, const Embedded& train,
                   const Embedded& test, const parts::ProbesOptions& options, Results& results) {
  const std::string& name = probed.name;
  Scores accuracies, votes, top, f1;
  const Neighbours neighbours = find_neighbours(probed.score, probed.fit, options.neighbours);
  bool converged = true;
  for (size_t k = 0; k < labels.size(); ++k) {
    const auto number = static_cast<int64_t>(k);
    const int64_t classes = labels[k].class_count();
    const Tensor known = train.labels.select(1, number).contiguous();
    const Tensor truth = test.labels.select(1, number).contiguous();
    const Classifier classifier = fit_logistic(
        probed.fit, known, classes, {options.l2, options.max_iterations, options.tolerance});
    converged = converged && classifier.converged;
    const Tensor logits = classifier(probed.score);
    const Tensor predicted = logits.argmax(1);
    accuracies.add(labels[k], accuracy(predicted, truth));
    votes.add(labels[k], accuracy(vote(neighbours, known, classes), truth));
    if (classes > kTop) top.add(labels[k], top_k_accuracy(logits, truth, kTop));
    if (classes == 2) f1.add(labels[k], minority_f1(predicted, truth));
  }
  accuracies.report(share(name + "_accuracy", "accuracy, " + name), results);
  votes.report(share(name + "_knn", "kNN, " + name), results);
  top.report(share(name + "_top5", "top-5 accuracy, " + name), results);
  Metric of_f1 = share(name + "_f1", "F1, " + name);
  of_f1.about = "of the rarer class of each binary column";
  f1.report(of_f1, results);
  results.add({.name = name + "_converged",
               .label = "fit converged, " + name,
               .about = "1 if the classifier's fit did, 0 if not",
               .range = kShareRange},
              converged ? 1 : 0);
  if (f1.values.size() > 1) {
    Metric each = per_factor(of_f1, f1.columns);
    each.name = name + "_f1_per_column";
    results.add(each, f1.values);
  }
  if (labels.size() == 1) return;
  accuracies.report_each("accuracy", "accuracy", name, results);
  votes.report_each("knn", "kNN", name, results);
  top.report_each("top5", "top-5 accuracy", name, results);
}

/// What a guess would reach that knows the frequencies of the classes but does not look at x.
void add_chance(const std::vector<Column>& labels, const Embedded& train, const Embedded& test,
                Results& results) {
  Scores accuracies, top, f1;
  for (size_t k = 0; k < labels.size(); ++k) {
    const Tensor known = train.labels.select(1, static_cast<int64_t>(k)).contiguous();
    const Tensor truth = test.labels.select(1, static_cast<int64_t>(k)).contiguous();
    const int64_t classes = labels[k].class_count();
    accuracies.add(labels[k], chance_of_top_k(known, truth, classes, 1));
    if (classes > kTop) top.add(labels[k], chance_of_top_k(known, truth, classes, kTop));
    if (classes == 2) f1.add(labels[k], chance_of_minority_f1(known, truth));
  }
  const auto chance = [](const std::string& of, const std::string& label, const char* about) {
    Metric out = share(of + "_chance", label + ", chance");
    out.about = about;
    return out;
  };
  accuracies.report(chance("accuracy", "accuracy", "always the commonest class"), results);
  top.report(chance("top5", "top-5 accuracy", "always the five commonest classes"), results);
  f1.report(chance("f1", "F1", "guesses with the frequency of the rarer class"), results);
  if (labels.size() == 1) return;
  accuracies.report_each("chance", "chance", "accuracy", results);
  top.report_each("chance", "chance", "top5", results);
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
  const Embedded train =
      training_samples(subject, options_.train_samples, options_.normalise_embedding);
  const Embedded test = test_samples(subject, options_.test_samples, options_.normalise_embedding);
  const std::vector<Column> labels = class_columns(shape.columns);
  for (const Probed& probed : {Probed{"representation", train.representation, test.representation},
                               Probed{"embedding", train.embedding, test.embedding}}) {
    if (shape.factors() > 0) probe_factors(probed, shape.columns, train, test, results);
    if (!labels.empty()) probe_classes(probed, labels, train, test, options_, results);
  }
  if (!labels.empty() && !subject.watching) add_chance(labels, train, test, results);
}

}  // namespace adassl::evaluation
