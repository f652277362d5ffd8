#include "adassl/evaluation/control.h"

#include <algorithm>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/columns.h"
#include "adassl/kernels/nearest.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

/// Samples as the model sees them: their codes before the editor, and what predictions of them are
/// compared with.
struct Seen {
  Tensor e;        // [N, d'] from encode
  Tensor target;   // [N, d] from target, normalised
  Tensor targets;  // [N, T] the factors, as targets of a regression
};

Seen look(model::Predicts& method, const std::vector<Column>& columns, const Samples& samples) {
  const auto blocks = [&](auto f) { return in_blocks(nn::view(samples.x), f); };
  return {
      blocks([&](const Tensor& x) { return method.encode(x); }),
      nn::normalise(blocks([&](const Tensor& x) { return method.target(x); }).to(torch::kFloat64)),
      targets_of(columns, samples)};
}

/// What is asked, and where answers are looked for.
struct Question {
  model::Predicts& method;
  const Seen& gallery;
  const std::vector<Column>& columns;
  Tensor variances;                         // [F] of the factors, over the gallery
  Array rows;                               // gallery.target in float32
  int64_t first = 0, count = 0, draws = 0;  // the x that are asked about

  Tensor starts() const { return gallery.e.narrow(0, first, count).repeat_interleave(draws, 0); }
  Tensor asked() const {  // [count * draws]
    return torch::arange(first, first + count, torch::kInt64).repeat_interleave(draws, 0);
  }

  /// The samples retrieved for predictions with these r, never x itself: [count * draws].
  Tensor retrieve(const Tensor& r) const {
    const Array queries = nn::array_of(nn::normalise(method.predict(starts(), r)));
    const auto found = kernels::nearest_rows({queries.values, queries.columns()},
                                             {rows.values, rows.columns()}, 2);
    std::vector<int64_t> out;
    for (size_t i = 0; i < found.size(); ++i) {
      const int64_t self = first + static_cast<int64_t>(i) / draws;
      out.push_back(found[i][found[i].front().row == self ? 1 : 0].row);
    }
    return torch::tensor(out, torch::kInt64);
  }

  /// How far the factors of samples a and b are apart, in standard deviations: [n, F].
  Tensor apart(const Tensor& a, const Tensor& b) const {
    const Tensor difference =
        gallery.targets.index_select(0, a) - gallery.targets.index_select(0, b);
    return (sum_by_factor(columns, difference.square()) / variances.clamp_min(1e-12)).sqrt();
  }
};

Tensor variances_of(const std::vector<Column>& columns, const Tensor& targets) {
  return sum_by_factor(columns, (targets - targets.mean(0)).square().mean(0, true)).squeeze(0);
}

double number_changed(const Tensor& apart, double threshold) {
  return (apart > threshold).to(torch::kFloat64).sum(1).mean().item<double>();
}

/// The number of factors that change within training pairs; negative if the pairs do not tell.
double changed_in_pairs(const Subject& subject, const Question& question, int64_t count,
                        double threshold) {
  const Batch batch = subject.source.pairs(subject.stream("control/pairs"), count);
  if (batch.factors.empty() || batch.factors_plus.empty()) return -1;
  std::vector<Column> factors;
  for (const Column& column : question.columns) {
    if (column.is_factor()) factors.push_back(column);
  }
  const Tensor x = targets_of(factors, {{}, batch.factors});
  const Tensor x_plus = targets_of(factors, {{}, batch.factors_plus});
  const Tensor apart =
      (sum_by_factor(factors, (x - x_plus).square()) / question.variances.clamp_min(1e-12)).sqrt();
  return number_changed(apart, threshold);
}

double share_of(const Tensor& changes, int64_t factor) {
  const double all = changes.sum().item<double>();
  return all > 0 ? changes[factor].item<double>() / all : 0;
}

Metric described(const std::string& name, const std::string& label, const std::string& about,
                 int64_t order) {
  return {.name = name, .label = label, .about = about, .section = kLatentSection, .order = order};
}

void add_shares(const std::vector<GroupOfR>& groups, const std::vector<Tensor>& changes,
                const Tensor& free, Results& results) {
  double own = 0, unguided = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    own += share_of(changes[g], groups[g].factor);
    unguided += share_of(free, groups[g].factor);
  }
  const auto n = static_cast<double>(groups.size());
  results.add(described("control_groups", "groups of r", "each changes one factor most", 20), n);
  Metric share = described("control_share", "control of retrieval",
                           "share of a group's own factor in what sampling it changes", 21);
  share.range = kShareRange;
  results.add(share, own / n);
  share =
      described("control_share_free", "the same, all of r sampled", "what no control gives", 22);
  share.range = kShareRange;
  results.add(share, unguided / n);
}

records::Record control_record(const std::vector<GroupOfR>& groups,
                               const std::vector<Tensor>& changes, const Tensor& free,
                               const std::vector<std::string>& factors) {
  nlohmann::json rows = nlohmann::json::array();
  for (size_t g = 0; g < groups.size(); ++g) {
    rows.push_back({{"name", groups[g].name},
                    {"dims", groups[g].dims},
                    {"moves", groups[g].moves},
                    {"changes", nn::doubles(changes[g])}});
  }
  return {.kind = std::string(records::kControl),
          .rest = {{"factors", factors}, {"groups", rows}, {"free", nn::doubles(free)}}};
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
  const auto look_at = [&](const std::string& population, const std::string& name, int64_t count) {
    const int64_t there = source.population_size(population).value_or(count);
    const auto all = in_pieces(source, std::min(count, there), [&](const Piece& piece) {
      const Seen seen = look(method, columns, subject.samples(population, name, piece));
      return std::vector{seen.e, seen.target, seen.targets};
    });
    return Seen{all[0], all[1], all[2]};
  };
  const Seen trained =
      look_at(source.populations().front(), "control/train", options_.train_samples);
  const Seen gallery = look_at(source.held_out(), "control/gallery", options_.gallery);
  const int64_t there = gallery.e.size(0);
  const int64_t half = std::min(options_.queries, there) / 2;
  Question question{method,
                    gallery,
                    columns,
                    variances_of(columns, gallery.targets),
                    nn::array_of(gallery.target),
                    half,
                    half,
                    options_.draws};
  const FactorReadout readout{least_squares(trained.target, trained.targets),
                              variances_of(columns, trained.targets), columns,
                              factor_names(columns)};
  const random::Stream noise = subject.stream("control/noise");
  const auto groups = groups_of_r(method, gallery.e.narrow(0, 0, half), {.draws = options_.draws},
                                  noise.named("groups"), &readout);
  if (groups.empty()) return;  // r moves nothing
  const Tensor starts = question.starts();
  const Tensor still = question.retrieve(method.expected_r(starts));
  std::vector<Tensor> changes;  // [F] each
  for (const GroupOfR& group : groups) {
    const Tensor r = sample_some(method, starts, group.dims, noise.named(group.name));
    changes.push_back(question.apart(question.retrieve(r), still).mean(0));
  }
  const Tensor everything = question.retrieve(method.imagine_r(starts, noise.named("all of r")));
  const Tensor free = question.apart(everything, still).mean(0);
  add_shares(groups, changes, free, results);
  const auto changed = [&](const std::string& suffix, const std::string& label, int64_t order,
                           double value) {
    results.add(described("changed_factors" + suffix, label,
                          join("by more than ", options_.threshold, " standard deviations"), order),
                value);
  };
  changed("", "factors changed, all of r sampled", 23,
          number_changed(question.apart(question.asked(), everything), options_.threshold));
  const double in_pairs = changed_in_pairs(subject, question, options_.queries, options_.threshold);
  if (in_pairs >= 0) changed("_pairs", "factors changed, training pairs", 24, in_pairs);
  const Tensor other = (question.asked() + half).remainder(there);
  changed("_random", "factors changed, random samples", 25,
          number_changed(question.apart(question.asked(), other), options_.threshold));
  results.records.push_back(control_record(groups, changes, free, readout.names));
}

}  // namespace adassl::evaluation
