#include "adassl/report/metrics.h"

#include <algorithm>

namespace adassl::report {

const std::vector<Metric>& known_metrics() {
  static const std::vector<Metric> table = {
      {"r2_pz", "R² on p(z)", "", true},
      {"r2_n5", "R² on N(0, 5I)", "", true},
      {"r2_ood", "R² on N(0, 5I), OOD", "", true},
      {"loss", "training loss", "", false},
      {"ssl", "objective, without the cost of r", "", false},
      {"reg", "cost of r", "", std::nullopt},
      {"beta", "weight of r's cost", "", std::nullopt},
      {"lambda", "λ, mean", "weight of distances in the similarity", std::nullopt},
      {"lambda_spread", "λ, spread", "standard deviation by mean, over dimensions and anchors",
       std::nullopt},
      {"gates_open", "E‖r‖₀", "gates of r that are open, on average", std::nullopt},
      {"gradient_norm", "norm of the gradient", "", std::nullopt},
      {"representation_accuracy", "accuracy, representation", "", true},
      {"representation_r2", "R², representation", "", true},
      {"representation_knn", "kNN, representation", "", true},
      {"embedding_accuracy", "accuracy, embedding", "", true},
      {"embedding_r2", "R², embedding", "", true},
      {"embedding_knn", "kNN, embedding", "", true},
      {"mrr", "MRR", "", true},
      {"hit1", "Hit@1", "", true},
      {"hit5", "Hit@5", "", true},
      {"mrr_pessimistic", "MRR, ties against", "", true},
      {"hit1_pessimistic", "Hit@1, ties against", "", true},
      {"hit5_pessimistic", "Hit@5, ties against", "", true},
      {"distinct_futures", "futures imagined", "different ones, of ten draws", std::nullopt},
      {"true_distinct", "futures there are", "different ones, of ten draws", std::nullopt},
      {"future_spread", "spread of futures", "beside the truth's", std::nullopt},
      {"retrieval_error", "error of predictions", "", false},
      {"r2_r_from_change", "R² of r from the change", "", std::nullopt},
      {"r2_change_from_r", "R² of the change from r", "", std::nullopt},
      {"rankme", "RankMe", "effective rank of the embeddings; low means collapsed", std::nullopt},
      {"alignment", "alignment",
       "mean squared distance of the two embeddings of a pair; low is close", std::nullopt},
      {"uniformity", "uniformity", "log mean Gaussian potential; low is evenly spread",
       std::nullopt},
      {"mi_bound", "MI bound", "lower bound on what a pair shares, in nats", std::nullopt},
      {"kl", "KL", "nats that r takes from the second view", std::nullopt},
      {"active_dims", "active dimensions", "dimensions of r in use", std::nullopt},
      {"r_entropy", "H(ρ)", "how evenly the dimensions of r are used, in nats", std::nullopt},
      {"explained_share", "share of the loss that r explains", "", std::nullopt},
      {"density_sliced_wasserstein", "sliced Wasserstein", "", false},
      {"density_energy", "energy distance", "", false},
      {"wall_seconds", "wall time, seconds", "", std::nullopt},
  };
  return table;
}

const Metric* find_metric(std::string_view name) {
  for (const Metric& metric : known_metrics()) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

std::string metric_label(std::string_view name) {
  const Metric* metric = find_metric(name);
  return std::string(metric == nullptr ? name : metric->label);
}

namespace {

/// "r2_pz", "unbounded.r2_pz" and "embedding_r2" are.
bool is_r_squared(std::string_view name) {
  const auto separates = [&](size_t i) {
    return i >= name.size() || name[i] == '_' || name[i] == '.';
  };
  for (size_t at = name.find("r2"); at != name.npos; at = name.find("r2", at + 1)) {
    if ((at == 0 || separates(at - 1)) && separates(at + 2)) return true;
  }
  return false;
}

}  // namespace

Interval shown_range(std::string_view name, Interval range) {
  if (!is_r_squared(name)) return range;
  return range_of({std::clamp(range.low, -1.0, 1.0), std::clamp(range.high, 0.0, 1.0)});
}

}  // namespace adassl::report
