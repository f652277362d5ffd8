#include "adassl/data/files.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "adassl/core/error.h"
#include "adassl/data/order.h"
#include "adassl/data/progress.h"
#include "adassl/kernels/threads.h"

namespace adassl::data {
namespace {

/// The share of held-out samples that may have a class which no training sample has.
constexpr double kUnseenClasses = 0.1;

/// Whether a probe that is fitted on training samples can know the classes of the others.
bool can_be_probed(const GroundTruth& truth, size_t c, const Split& split) {
  std::set<float> known;
  for (const int64_t i : split.train) known.insert(truth.value(c, i));
  for (const auto* part : {&split.validation, &split.test}) {
    const auto unseen =
        std::ranges::count_if(*part, [&](int64_t i) { return !known.contains(truth.value(c, i)); });
    if (static_cast<double>(unseen) > kUnseenClasses * static_cast<double>(part->size())) {
      return false;
    }
  }
  return true;
}

}  // namespace

Files::Files(const Options& options, Parts parts) : options_(options), parts_(std::move(parts)) {
  const SampleSet& set = *parts_.samples;
  if (set.pictures() > 0) {
    parts_.view->require_images();
  } else {
    parts_.view->require_arrays();
  }
  shape_.observation = observation_of(set, *parts_.view);
  shape_.element = element_of(set);
  shape_.helper = true;
  shape_.mirror_helper = true;
  arrange(set.rejected());
}

/// Everything that follows from which samples can be used.
void Files::arrange(std::vector<Rejected> rejected) {
  const SampleSet& set = *parts_.samples;
  rejected_ = std::move(rejected);
  split_ = split_usable(set, parts_.pairing->bonds(), options_.split, rejected_);
  parts_.pairing->use(split_.train);
  if (parts_.watched && split_.validation.size() > 1) {
    std::vector<int64_t> ascending = split_.validation;
    std::ranges::sort(ascending);
    parts_.watched->use(ascending);
  }
  const std::string remark = parts_.pairing->remark();
  ADASSL_CHECK(parts_.pairing->count() > 0, "[pairing] expected at least one pair among the ",
               split_.train.size(), " training samples, got none",
               remark.empty() ? "" : ": " + remark);
  choose_columns();
}

void Files::choose_columns() {
  const SampleSet& set = *parts_.samples;
  const GroundTruth all = ground_truth(set.columns(), set.declared());
  truth_ = {};
  factors_.clear();
  change_scale_.clear();
  switches_.clear();
  for (size_t c = 0; c < all.columns.size(); ++c) {
    const bool factor = all.columns[c].is_factor();
    if (!factor && !can_be_probed(all, c, split_)) continue;
    if (factor) {
      const double spread = deviation(*all.from[c], split_.train);
      if (!(spread > 0)) continue;
      factors_.push_back(truth_.columns.size());
      change_scale_.push_back(static_cast<float>(1 / spread));
    }
    if (all.columns[c].kind == Column::Kind::kBinary && options_.change != "factors") {
      switches_.push_back(truth_.columns.size());
    }
    truth_.columns.push_back(all.columns[c]);
    truth_.from.push_back(all.from[c]);
  }
  shape_.columns = truth_.columns;
  shape_.pair_classes = shape_.classes() > 0;
  shape_.change =
      parts_.pairing->changes() ? static_cast<int64_t>(factors_.size() + switches_.size()) : 0;
}

void Files::make_pair(int64_t number, random::Sequence draws, const PairPlace& out) const {
  make_pair_of(*parts_.pairing, number, draws, out);
}

std::vector<Pair> Files::samples_of_pairs(const random::Stream& stream, int64_t count) const {
  const Pairing& pairing = *parts_.pairing;
  const KeyedPermutation shuffled(pairing.count(), stream.named("order"));
  std::vector<Pair> out;
  for (int64_t row = 0; row < count; ++row) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(row));
    out.push_back(pairing.pair(shuffled(row % pairing.count()), draws));
  }
  return out;
}

const Pairing& Files::watched_pairing() const {
  constexpr int64_t kFewest = 64;  // RankMe cannot exceed the number of rows
  const bool enough =
      parts_.watched && split_.validation.size() > 1 && parts_.watched->count() >= kFewest;
  return enough ? *parts_.watched : *parts_.pairing;
}

Batch Files::watched_pairs(const random::Stream& stream, int64_t count) const {
  const Pairing& pairing = watched_pairing();
  const KeyedPermutation shuffled(pairing.count(), stream.named("order"));
  Batch out = make_batch(shape_, std::min(count, pairing.count()));
  in_chunks(out.x.rows(), [&](int64_t first, int64_t rows) {
    const kernels::FlushDenormals flush;
    for (int64_t row = first; row < first + rows; ++row) {
      random::Sequence draws = stream.at(static_cast<uint32_t>(row));
      make_pair_of(pairing, shuffled(row), draws, place_of(out, row));
    }
  });
  return out;
}

void Files::make_pair_of(const Pairing& pairing, int64_t number, random::Sequence& draws,
                         const PairPlace& out) const {
  const SampleSet& set = *parts_.samples;
  const Pair pair = pairing.pair(number, draws);
  {
    const Fetched x(set, pair.x);
    x.see(*parts_.view, draws, out.x, out.x_bytes);
    x.see(*parts_.view, draws, out.mirror_helper, out.mirror_helper_bytes);
    if (pair.x_plus == pair.x) {
      x.see(*parts_.view, draws, out.x_plus, out.x_plus_bytes);
      x.see(*parts_.view, draws, out.helper, out.helper_bytes);
    }
  }
  if (pair.x_plus != pair.x) {
    const Fetched plus(set, pair.x_plus);
    plus.see(*parts_.view, draws, out.x_plus, out.x_plus_bytes);
    if (pair.further < 0) plus.see(*parts_.view, draws, out.helper, out.helper_bytes);
  }
  if (pair.further >= 0) {
    Fetched(set, pair.further).see(*parts_.view, draws, out.helper, out.helper_bytes);
  }
  for (size_t k = 0; k < factors_.size(); ++k) {
    const size_t c = factors_[k];
    out.factors[k] = truth_.value(c, pair.x);
    out.factors_plus[k] = truth_.value(c, pair.x_plus);
    if (out.change.empty()) continue;
    double change = static_cast<double>(out.factors_plus[k]) - out.factors[k];
    if (truth_.columns[c].kind == Column::Kind::kAngle) {
      change = std::remainder(change, 2 * std::numbers::pi);
    }
    out.change[k] = static_cast<float>(change) * change_scale_[k];
  }
  for (size_t c = 0, k = 0; c < truth_.columns.size() && !out.classes_plus.empty(); ++c) {
    if (!truth_.columns[c].is_factor()) out.classes_plus[k++] = truth_.value(c, pair.x_plus);
  }
  for (size_t k = 0; k < switches_.size() && !out.change.empty(); ++k) {
    out.change[factors_.size() + k] =
        truth_.value(switches_[k], pair.x_plus) - truth_.value(switches_[k], pair.x);
  }
}

std::string Files::name_of(int64_t pair) const { return join("pair ", pair); }

std::vector<std::string> Files::populations() const {
  std::vector<std::string> out = {"train"};
  if (!split_.validation.empty()) out.emplace_back("validation");
  if (!split_.test.empty()) out.emplace_back("test");
  return out;
}

std::string Files::watched() const { return split_.validation.empty() ? "train" : "validation"; }

const std::vector<int64_t>* Files::list_of(const std::string& population) const {
  if (population == "train") return &split_.train;
  if (population == "validation") return &split_.validation;
  return population == "test" ? &split_.test : nullptr;
}

std::optional<int64_t> Files::fixed_size(const std::string& population) const {
  const auto* list = list_of(population);
  if (list == nullptr || population == "train") return {};
  return static_cast<int64_t>(list->size());
}

std::optional<int64_t> Files::population_size(const std::string& population) const {
  const auto* list = list_of(population);
  return list == nullptr ? std::optional<int64_t>() : static_cast<int64_t>(list->size());
}

Samples Files::samples_from(const std::string& population, const random::Stream& stream,
                            int64_t first, int64_t count) const {
  const auto* list = list_of(population);
  ADASSL_CHECK(list != nullptr, "[files] expected the population train, validation or test, got '",
               population, "'");
  const auto there = static_cast<int64_t>(list->size());
  const bool fixed = population != "train";
  ADASSL_CHECK(there > 0 && (!fixed || first + count <= there), "[files] expected at most ", there,
               " samples of the population ", population, ", got a request for ", first + count);
  const KeyedPermutation shuffled(there, stream.named("order"));
  std::vector<int64_t> chosen;
  for (int64_t row = first; row < first + count; ++row) {
    chosen.push_back((*list)[static_cast<size_t>(fixed ? row : shuffled(row % there))]);
  }
  Samples out;
  out.x = seen_plainly(chosen);
  if (truth_.columns.empty()) return out;
  out.known = make_array({count, static_cast<int64_t>(truth_.columns.size())});
  for (int64_t row = 0; row < count; ++row) {
    const std::span<float> known = row_of(out.known, row);
    for (size_t c = 0; c < known.size(); ++c) {
      known[c] = truth_.value(c, chosen[static_cast<size_t>(row)]);
    }
  }
  return out;
}

Array Files::seen_plainly(std::span<const int64_t> samples) const {
  return see_plainly(*parts_.samples, *parts_.plain, samples);
}

std::vector<Unusable> Files::unusable() const {
  std::vector<Unusable> out;
  for (const Rejected& one : rejected_) out.push_back({one.name, one.reason});
  return out;
}

void Files::leave_out(const std::vector<Unusable>& parts) {
  if (parts == unusable()) return;
  const SampleSet& set = *parts_.samples;
  std::map<std::string, std::string> wanted;  // name and reason
  for (const Unusable& part : parts) wanted.emplace(part.name, part.reason);
  std::vector<Rejected> rejected;
  std::set<std::string> found;
  for (int64_t i = 0; i < set.count(); ++i) {
    const auto one = wanted.find(set.name(i));
    if (one == wanted.end()) continue;
    rejected.push_back({i, one->first, one->second});  // a list may name a file twice
    found.insert(one->first);
  }
  for (const Unusable& part : parts) {
    ADASSL_CHECK(found.contains(part.name),
                 "[quarantine] expected the samples of the run's beginning, but '", part.name,
                 "' is gone");
  }
  arrange(std::move(rejected));
}

std::shared_ptr<Files> make_files(Config& config, const Files::Options& options, uint64_t seed,
                                  const Choose& choose) {
  Files::Parts parts;
  parts.samples = make_part(sample_kinds(), config, "samples", "arrays", terminal_progress());
  if (choose) choose(config, *parts.samples);
  parts.pairing =
      make_part(pairings(), config, "pairing", "self", PairingContext{*parts.samples, seed});
  parts.watched =
      make_part(pairings(), config, "pairing", "self", PairingContext{*parts.samples, seed});
  parts.view = make_part(views(), config, "views", "plain");
  parts.plain = plain_view_like(*parts.samples, *parts.view, options.seen);
  return std::make_shared<Files>(options, std::move(parts));
}

SourceEntry files_entry() {
  return {part_description<Files::Options>(),
          [](Config& config, const std::string& section, uint64_t seed) {
            const auto options = config.read<Files::Options>(section);
            return std::static_pointer_cast<Source>(make_files(config, options, seed));
          }};
}

}  // namespace adassl::data
