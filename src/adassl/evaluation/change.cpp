#include "adassl/evaluation/change.h"

#include "adassl/evaluation/inferred_r.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

struct Pairs {
  Tensor r;         // [N, d_r]
  Tensor beyond_x;  // [N, d_r] r less its expectation given x
  Tensor change;    // [N, K]
};

Pairs inferred(const Subject& subject, int64_t count) {
  auto* predicts = model::offers<model::Predicts>(subject.method);
  const auto stream_of = [&](const char* what) {
    return
        [&subject, what](uint64_t number) { return subject.stream("change", number).named(what); };
  };
  const auto look = [&](const Batch& batch, const Tensor& r) {
    return std::vector{r.to(torch::kFloat64, /*non_blocking=*/false, /*copy=*/true),
                       beyond_x(predicts, nn::view(batch.x), r).to(torch::kFloat64).clone(),
                       nn::view(batch.change).to(torch::kFloat64)};
  };
  const auto columns =
      look_at_inferred(subject, count, {stream_of("pairs"), stream_of("noise")}, look);
  return {columns[0], columns[1], columns[2]};
}

Tensor varies(const Tensor& columns) {
  return std::get<0>(columns.max(0)) > std::get<0>(columns.min(0));
}

void add(Results& results, const Metric& metric, const Tensor& x, const Tensor& y) {
  const int64_t half = x.size(0) / 2;
  const AffineMap map = least_squares(x.narrow(0, 0, half), y.narrow(0, 0, half));
  const Tensor unseen = y.narrow(0, half, y.size(0) - half);
  const Tensor scored = varies(unseen);
  if (!scored.any().item<bool>()) return;
  const Tensor r2 = r_squared(map(x.narrow(0, half, x.size(0) - half)), unseen);
  results.add(metric, r2.masked_select(scored).mean().item<double>());
  const Tensor shown = torch::where(scored, r2, torch::zeros_like(r2)).contiguous();
  const double* values = shown.data_ptr<double>();
  Metric each = metric;
  each.name += "_per_dim";
  results.add(each, {values, values + shown.numel()});
}

}  // namespace

std::string Change::obstacle(const Subject& subject) const {
  if (subject.source.shape().change == 0) return "the data does not provide the true change";
  if (const auto line = obstacle_without<model::InfersR>(subject); !line.empty()) return line;
  const auto* predicts = model::offers<model::Predicts>(subject.method);
  return predicts == nullptr || predicts->r_width() == 0 ? "the method has no r" : "";
}

bool Change::fits(const data::Source& source) const {
  return source.shape().change > 0 && source.fixed_size(source.held_out()).has_value();
}

void Change::run(const Subject& subject, Results& results) const {
  const Pairs pairs = inferred(subject, options_.pairs);
  if (!varies(pairs.r).any().item<bool>()) return;
  add(results,
      {.name = "r2_r_from_change", .label = "R² of r from the change", .range = kRSquaredRange},
      pairs.change, pairs.r);
  add(results,
      {.name = "r2_change_from_r", .label = "R² of the change from r", .range = kRSquaredRange},
      pairs.r, pairs.change);
  if (!varies(pairs.r - pairs.beyond_x).any().item<bool>()) return;  // the same numbers again
  add(results,
      {.name = "r2_r_from_change_beyond_x",
       .label = "R² of r beyond x from the change",
       .about = "r less what the model expects of it from x alone",
       .range = kRSquaredRange},
      pairs.change, pairs.beyond_x);
  add(results,
      {.name = "r2_change_from_r_beyond_x",
       .label = "R² of the change from r beyond x",
       .about = "r less what the model expects of it from x alone",
       .range = kRSquaredRange},
      pairs.beyond_x, pairs.change);
}

}  // namespace adassl::evaluation
