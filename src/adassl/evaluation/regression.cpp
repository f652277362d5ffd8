#include "adassl/evaluation/regression.h"

#include <optional>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/columns.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

struct Embedded {
  Tensor embeddings;  // [N, d]
  Tensor targets;     // [N, T]
};

Embedded embedded(const Subject& subject, const std::string& population, const std::string& split,
                  int64_t count) {
  const std::vector<Column> known = subject.source.shape().columns;
  const std::string name = "regression/" + population + "/" + split;
  const auto columns =
      look_at_samples(subject, population, name, count, [&](const Samples& samples) {
        return std::vector{embed(subject.method, samples.x), targets_of(known, samples)};
      });
  return {columns[0], columns[1]};
}

/// The label of a population on pages: the paper's notation for its numerical data, otherwise the
/// name.
std::string readable(const std::string& population) {
  if (population == "pz") return "p(z)";
  return population == "n5" ? "N(0, 5I)" : population;
}

void add(Results& results, const std::string& name, const std::string& on, int64_t order,
         const std::vector<std::string>& factors, const Tensor& r2) {
  const Metric metric{.name = "r2_" + name,
                      .label = "R² on " + on,
                      .better = Better::kHigher,
                      .range = kRSquaredRange,
                      .section = kResultsSection,
                      .order = order};
  results.add(metric, r2.mean().item<double>());
  const double* values = r2.data_ptr<double>();
  results.add(per_factor(metric, factors), {values, values + r2.numel()});
}

}  // namespace

std::string Regression::obstacle(const Subject& subject) const {
  return subject.source.shape().factors() == 0 ? "the data provides no factors" : "";
}

bool Regression::fits(const data::Source& source) const {
  return source.shape().factors() > 0 && !source.fixed_size(source.held_out());
}

void Regression::run(const Subject& subject, Results& results) const {
  const std::vector<Column> columns = subject.source.shape().columns;
  const std::vector<std::string> names = factor_names(columns);
  const auto score = [&](const AffineMap& map, const Embedded& test) {
    return r_squared_by_factor(columns, map(test.embeddings), test.targets);
  };
  std::optional<AffineMap> first;
  auto populations = subject.source.populations();
  // With a fixed list, the map would be scored on the samples it was fitted on.
  std::erase_if(populations,
                [&](const auto& p) { return subject.source.fixed_size(p).has_value(); });
  int64_t shown = 0;
  for (size_t i = 0; i < populations.size(); ++i) {
    const auto train = embedded(subject, populations[i], "train", options_.train_samples);
    const auto test = embedded(subject, populations[i], "test", options_.test_samples);
    const AffineMap map = least_squares(train.embeddings, train.targets);
    const std::string on = readable(populations[i]);
    add(results, populations[i], on, ++shown, names, score(map, test));
    if (i == 0) first = map;
    if (i != 1) continue;
    add(results, "ood", on + ", OOD", ++shown, names, score(*first, test));
  }
}

}  // namespace adassl::evaluation
