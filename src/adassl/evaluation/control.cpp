#include "adassl/evaluation/control.h"

#include <algorithm>

#include "adassl/evaluation/columns.h"
#include "adassl/evaluation/control_factors.h"
#include "adassl/evaluation/control_question.h"
#include "adassl/evaluation/groups_of_r.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

double number_changed(const Tensor& apart, double threshold) {
  return (apart > threshold).to(torch::kFloat64).sum(1).mean().item<double>();
}

/// The number of factors that change within training pairs; negative if the pairs do not tell.
double changed_in_pairs(const Subject& subject, const Searched& gallery, int64_t count,
                        double threshold) {
  const Batch batch = subject.source.pairs(subject.stream("control/pairs"), count);
  if (batch.factors.empty() || batch.factors_plus.empty()) return -1;
  std::vector<Column> factors;
  for (const Column& column : gallery.columns) {
    if (column.is_factor()) factors.push_back(column);
  }
  const Tensor x = targets_of(factors, {{}, batch.factors});
  const Tensor x_plus = targets_of(factors, {{}, batch.factors_plus});
  return number_changed(in_deviations(factors, x - x_plus, gallery.variances), threshold);
}

/// The groups that the x of this question tell, named after the readable factors they change.
std::vector<GroupOfR> named_groups(const Question& question, const Tensor& readable,
                                   const random::Stream& noise) {
  const auto groups =
      groups_of_r(question.method, question.e(), {.draws = question.draws}, noise.named("groups"));
  const random::Stream names = noise.named("naming");
  const Tensor starts = question.starts();
  const auto apart = [&](const Tensor& r) { return question.apart_from_x(question.retrieve(r)); };
  const Tensor expected = apart(question.method.expected_r(starts));
  std::vector<int64_t> factors;
  for (const GroupOfR& group : groups) {
    const Tensor r = sample_some(question.method, starts, group.dims, names.named(group.name));
    factors.push_back(factor_changed(apart(r), expected, readable));
  }
  return joined_by_factor(groups, factors, factor_names(question.gallery.columns));
}

/// How far sampling moves the factors of what is retrieved, compared with r at its expectation.
struct Changes {
  std::vector<Tensor> groups;  // [F] each
  Tensor free;                 // [F] with all of r sampled
};

Changes changes_by(const std::vector<GroupOfR>& groups, const Question& question,
                   const Tensor& everything, const random::Stream& noise) {
  const Tensor starts = question.starts();
  const Tensor still = question.retrieve(question.method.expected_r(starts));
  Changes out{{}, question.apart(everything, still).mean(0)};
  for (const GroupOfR& group : groups) {
    const Tensor r = sample_some(question.method, starts, group.dims, noise.named(group.name));
    out.groups.push_back(question.apart(question.retrieve(r), still).mean(0));
  }
  return out;
}

Metric described(const std::string& name, const std::string& label, const std::string& about,
                 int64_t order) {
  return {.name = name, .label = label, .about = about, .section = kLatentSection, .order = order};
}

/// The share of one factor in the changes of those that count.
double share_of(const Tensor& changes, int64_t factor, const Tensor& counts) {
  const double all = changes.masked_select(counts).sum().item<double>();
  return all > 0 ? changes[factor].item<double>() / all : 0;
}

/// The share of each group's own factor, and that of the same factors where all of r is sampled.
void add_shares(Metric own, Metric unguided, const std::vector<GroupOfR>& groups,
                const Changes& changes, const Tensor& counts, Results& results) {
  double sum = 0, free = 0, named = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].factor < 0) continue;
    sum += share_of(changes.groups[g], groups[g].factor, counts);
    free += share_of(changes.free, groups[g].factor, counts);
    ++named;
  }
  own.range = unguided.range = kShareRange;
  own.better = Better::kHigher;
  results.add(own, sum / named);
  results.add(unguided, free / named);
}

void add_control(const std::vector<GroupOfR>& groups, const Changes& changes,
                 const Tensor& readable, Results& results) {
  const auto named =
      std::ranges::count_if(groups, [](const GroupOfR& group) { return group.factor >= 0; });
  const auto read = readable.sum().item<int64_t>();
  const double factors = static_cast<double>(readable.numel());
  Metric metric =
      described("control_groups", "groups of r", "each named after the factor that it changes", 20);
  metric.range = {0, factors};
  results.add(metric, static_cast<double>(named));
  metric = described("readable_factors", "readable factors",
                     join("R² above ", kReadable, " from embeddings of held-out samples"), 21);
  metric.range = {0, factors};
  results.add(metric, static_cast<double>(read));
  if (named == 0) return;  // no share is defined
  const char* no_control = "what no control gives";
  if (read > 1) {
    add_shares(
        described("control_share_readable", "control of retrieval, readable factors",
                  "share of a group's own factor in changes of readable factors", 22),
        described("control_share_readable_free", "the same, all of r sampled", no_control, 23),
        groups, changes, readable, results);
  }
  add_shares(described("control_share", "control of retrieval, all factors",
                       "share of a group's own factor in what sampling it changes", 24),
             described("control_share_free", "the same, all of r sampled", no_control, 25), groups,
             changes, torch::ones_like(readable), results);
}

/// How many factors differ from those of x, compared with training pairs and random samples.
void add_changed(const Subject& subject, const Question& question, const Tensor& everything,
                 const parts::ControlOptions& options, Results& results) {
  const auto add = [&](const std::string& suffix, const std::string& label, int64_t order,
                       double value) {
    results.add(described("changed_factors" + suffix, label,
                          join("by more than ", options.threshold, " standard deviations"), order),
                value);
  };
  const auto changed = [&](const Tensor& samples) {
    return number_changed(question.apart(question.asked(), samples), options.threshold);
  };
  add("", "factors changed, all of r sampled", 26, changed(everything));
  const double in_pairs =
      changed_in_pairs(subject, question.gallery, options.queries, options.threshold);
  if (in_pairs >= 0) add("_pairs", "factors changed, training pairs", 27, in_pairs);
  const Tensor other = (question.asked() + question.count).remainder(question.gallery.rows.rows());
  add("_random", "factors changed, random samples", 28, changed(other));
}

records::Record control_record(const std::vector<GroupOfR>& groups, const Changes& changes,
                               const Tensor& readable, const std::vector<std::string>& factors) {
  nlohmann::json rows = nlohmann::json::array();
  for (size_t g = 0; g < groups.size(); ++g) {
    rows.push_back({{"name", groups[g].name},
                    {"dims", groups[g].dims},
                    {"moves", groups[g].moves},
                    {"changes", nn::doubles(changes.groups[g])}});
  }
  nlohmann::json names = nlohmann::json::array();
  for (size_t f = 0; f < factors.size(); ++f) {
    if (readable[static_cast<int64_t>(f)].item<bool>()) names.push_back(factors[f]);
  }
  return {.kind = std::string(records::kControl),
          .rest = {{"factors", factors},
                   {"readable", names},
                   {"groups", rows},
                   {"free", nn::doubles(changes.free)}}};
}

}  // namespace

std::string Control::obstacle(const Subject& subject) const {
  if (const auto line = obstacle_without<model::Predicts>(subject); !line.empty()) return line;
  if (!model::offers<model::Predicts>(subject.method)->samples_r()) {
    return "the method has no r, or cannot sample it from x alone";
  }
  if (subject.source.shape().factors() < 2) return "the data provides fewer than two factors";
  constexpr int64_t kLeast = 8;
  const auto there = subject.source.fixed_size(subject.source.held_out());
  if (!there) return "the held-out samples are no list";
  return *there < kLeast ? join("there are fewer than ", kLeast, " held-out samples") : "";
}

bool Control::fits(const data::Source& source) const {
  const auto shape = source.shape();
  return shape.factors() >= 2 && !shape.continues && source.fixed_size(source.held_out());
}

void Control::run(const Subject& subject, Results& results) const {
  auto& method = require<model::Predicts>(subject.method);
  const data::Source& source = subject.source;
  const std::vector<Column> columns = source.shape().columns;
  const Seen trained =
      look_at(subject, source.populations().front(), "control/train", options_.train_samples);
  const Searched gallery(look_at(subject, source.held_out(), "control/gallery", options_.gallery),
                         columns);
  const Tensor readable = readable_factors(columns, least_squares(trained.target, trained.targets),
                                           gallery.seen.target, gallery.seen.targets);
  const int64_t half = std::min(options_.queries, gallery.rows.rows()) / 2;
  const random::Stream noise = subject.stream("control/noise");
  const auto groups = named_groups({method, gallery, 0, half, options_.draws}, readable, noise);
  if (groups.empty()) return;  // r moves nothing
  const Question question{method, gallery, half, half, options_.draws};
  const Tensor everything =
      question.retrieve(method.imagine_r(question.starts(), noise.named("all of r")));
  const Changes changes = changes_by(groups, question, everything, noise);
  add_control(groups, changes, readable, results);
  add_changed(subject, question, everything, options_, results);
  results.records.push_back(control_record(groups, changes, readable, factor_names(columns)));
}

}  // namespace adassl::evaluation
