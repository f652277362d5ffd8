#include "adassl/evaluation/dci.h"

#include <algorithm>
#include <cmath>

#include "adassl/evaluation/columns.h"
#include "adassl/evaluation/lasso.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

constexpr const char* kRegressor = "LassoCV";

/// 1 - H(P) / log n for each row of weights [M, n]; 0 where a row has no weight at all. One weight
/// alone has everything.
Tensor concentration(const Tensor& weights) {
  constexpr double kFloor = 1e-12;
  const Tensor total = weights.sum(1, /*keepdim=*/true);
  const Tensor shares = weights / total + kFloor;
  const Tensor p = shares / shares.sum(1, /*keepdim=*/true);
  const double most = std::log(std::max<double>(static_cast<double>(weights.size(1)), 2));
  const Tensor out = 1 + (p * p.log()).sum(1) / most;
  return torch::where(total.squeeze(1) == 0, torch::zeros_like(out), out);
}

/// The mean, weighted by shares of the total.
double weighted_mean(const Tensor& values, const Tensor& weights) {
  const double total = weights.sum().item<double>();
  return total == 0 ? 0 : (values * weights).sum().item<double>() / total;
}

/// Columns with mean 0 and variance 1; a constant column becomes 0.
Tensor standardised(const Tensor& columns) {
  constexpr double kFloor = 1e-12;
  const Tensor centred = columns - columns.mean(0);
  return centred / centred.square().mean(0).sqrt().clamp_min(kFloor);
}

struct HeldOut {
  Tensor embeddings;  // [N, D]
  Tensor targets;     // [N, T], T = F unless angles are circles
};

HeldOut held_out(const Subject& subject, int64_t count, bool circles) {
  const std::vector<Column> columns = subject.source.shape().columns;
  const auto seen = look_at_scored(subject, "dci", count, [&](const Samples& samples) {
    return std::vector{embed(subject.method, samples.x),
                       circles ? targets_of(columns, samples) : factors_of(columns, samples)};
  });
  return {seen[0], seen[1]};
}

Metric described(const std::string& name, const std::string& label, const std::string& about) {
  return {.name = "dci_" + name,
          .label = label,
          .about = join(about, "; importance: absolute weights of ", kRegressor),
          .better = Better::kHigher,
          .range = kShareRange};
}

void add_scores(const ImportanceScores& scores, const std::vector<std::string>& names,
                Results& results) {
  const Metric disentanglement =
      described("disentanglement", "DCI disentanglement", "1: each code serves one factor");
  const Metric completeness =
      described("completeness", "DCI completeness", "1: each factor is in one code");
  results.add(disentanglement, scores.disentanglement);
  results.add(completeness, scores.completeness);
  Metric codes = disentanglement;
  codes.name += "_per_code";
  results.add(codes, nn::doubles(scores.codes));
  results.add(per_factor(completeness, names), nn::doubles(scores.factors));
}

/// R2 on the folds that a fit has not seen. Targets have variance 1, or 0 if they are constant.
void add_informativeness(const Tensor& errors, const Tensor& variances,
                         const std::vector<std::string>& names, Results& results) {
  const Tensor r2 = torch::where(variances == 0, torch::zeros_like(errors), 1 - errors / variances);
  Metric metric = described("informativeness", "DCI informativeness", "R² on held-out folds");
  metric.about = join("R² of ", kRegressor, " on held-out folds");
  metric.range = kRSquaredRange;
  results.add(metric, r2.mean().item<double>());
  results.add(per_factor(metric, names), nn::doubles(r2));
}

records::Record importance_record(const Tensor& importance, const std::vector<std::string>& names) {
  nlohmann::json rows = nlohmann::json::array();
  for (int64_t i = 0; i < importance.size(0); ++i) rows.push_back(nn::doubles(importance[i]));
  return {.kind = std::string(records::kImportance),
          .rest = {{"regressor", kRegressor}, {"factors", names}, {"importance", rows}}};
}

}  // namespace

ImportanceScores importance_scores(const Tensor& importance) {
  ImportanceScores out;
  out.codes = concentration(importance);
  out.factors = concentration(importance.t());
  out.disentanglement = weighted_mean(out.codes, importance.sum(1));
  out.completeness = weighted_mean(out.factors, importance.sum(0));
  return out;
}

std::string Dci::obstacle(const Subject& subject) const {
  const int64_t factors = subject.source.shape().factors();
  if (factors == 0) return "the data provides no factors";
  if (factors == 1) return "the data provides a single factor";
  const auto there = subject.source.fixed_size(subject.source.held_out());
  const int64_t least = 2 * options_.folds;
  return there && *there < least ? join("there are fewer than ", least, " held-out samples") : "";
}

bool Dci::fits(const data::Source& source) const {
  const auto shape = source.shape();
  return shape.factors() >= 2 && !shape.continues && source.fixed_size(source.held_out());
}

void Dci::run(const Subject& subject, Results& results) const {
  const std::vector<Column> columns = subject.source.shape().columns;
  const std::vector<std::string> names = factor_names(columns);
  const bool circles = options_.angles == "circle";
  const auto by_factor = [&](const Tensor& of_targets) {  // [M, T] -> [M, F]
    return circles ? sum_by_factor(columns, of_targets) : of_targets;
  };
  const HeldOut seen = held_out(subject, options_.samples, circles);
  const Tensor targets = standardised(seen.targets);
  const auto fits = lasso_cv(standardised(seen.embeddings), targets,
                             {.folds = options_.folds,
                              .alphas = options_.alphas,
                              .eps = options_.eps,
                              .tolerance = options_.tolerance,
                              .max_iterations = options_.max_iterations});
  std::vector<Tensor> weights;
  std::vector<double> errors;
  bool converged = true;
  for (const LassoFit& fit : fits) {
    weights.push_back(fit.weights.abs());
    errors.push_back(fit.error);
    converged = converged && fit.converged;
  }
  const Tensor importance = by_factor(torch::stack(weights, 1));  // [D, F]
  add_scores(importance_scores(importance), names, results);
  add_informativeness(by_factor(torch::tensor(errors, torch::kFloat64).unsqueeze(0)).squeeze(0),
                      by_factor(targets.square().mean(0, /*keepdim=*/true)).squeeze(0), names,
                      results);
  results.add({.name = "dci_converged",
               .label = "DCI's fits converged",
               .about = "1 if all fits reached the tolerance, 0 if not",
               .range = kShareRange},
              converged ? 1 : 0);
  results.records.push_back(importance_record(importance, names));
}

}  // namespace adassl::evaluation
