#include "adassl/data/pairing/group.h"

#include <algorithm>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/storage/checksum.h"

namespace adassl::data {
namespace {

/// Those of a column, or drawn ones. The draw depends on the names of the samples, not on their
/// order.
std::vector<bool> corrupted_samples(const PairingContext& context,
                                    const GroupPairing::Options& options) {
  std::vector<bool> out(static_cast<size_t>(context.samples.count()));
  if (!options.corrupted.empty()) {
    const DataColumn& column =
        require_column(context.samples.columns(), options.corrupted, "pairing.corrupted");
    for (int64_t i = 0; i < context.samples.count(); ++i) {
      const std::string value = column.text(i);
      ADASSL_CHECK(value == "0" || value == "1", "[pairing.corrupted] '", options.corrupted,
                   "': expected 0 or 1, got '", value, "' for ", context.samples.name(i));
      out[static_cast<size_t>(i)] = value == "1";
    }
    return out;
  }
  const double rate = options.corruption;
  if (rate == 0) return out;
  const random::Stream stream(context.seed, "corruption");
  for (int64_t i = 0; i < context.samples.count(); ++i) {
    const uint64_t name = storage::short_sum(context.samples.name(i), context.seed);
    random::Sequence draws(stream.key(), name, 0);
    out[static_cast<size_t>(i)] = draws.bernoulli(rate);
  }
  return out;
}

int64_t pairs_among(int64_t members) { return members * (members - 1) / 2; }

}  // namespace

GroupPairing::GroupPairing(const Options& options, const PairingContext& context)
    : options_(options),
      groups_(group_by(context.samples, options.by, "pairing.by")),
      corrupted_(corrupted_samples(context, options)) {
  ADASSL_CHECK(options.corruption == 0 || options.corrupted.empty(),
               "[pairing] expected either corruption or corrupted, got both");
  ADASSL_CHECK((options.corruption > 0 || !options.corrupted.empty()) == !options.coarse.empty(),
               "[pairing] expected both coarse and corruption, or neither, got only ",
               options.coarse.empty() ? "corruption" : "coarse");
  if (!options.coarse.empty()) {
    coarse_ = group_by(context.samples, options.coarse, "pairing.coarse");
  }
}

/// The pool of a sample: clean ones are numbered by group, then come corrupted ones by coarse
/// group.
int64_t GroupPairing::group_of(int64_t sample) const {
  const auto at = static_cast<size_t>(sample);
  if (!corrupted_[at]) return groups_.of[at];
  const int32_t coarse = coarse_.of[at];
  return coarse == Groups::kNone ? -1 : groups_.count() + coarse;
}

void GroupPairing::use(std::span<const int64_t> members) {
  remark_.clear();
  const int64_t groups = groups_.count() + coarse_.count();
  const auto of = [&](int64_t sample) { return group_of(sample); };
  pools_ = make_pools(members, groups, of);
  const int64_t grouped = pools_.begin.back();
  const bool keeps_single = options_.alone == "self" && options_.epoch != "pairs";
  if (!keeps_single) {
    std::vector<int64_t> paired;
    int64_t single = 0;
    for (int64_t g = 0; g < pools_.count(); ++g) {
      if (pools_[g].size() > 1) paired.insert(paired.end(), pools_[g].begin(), pools_[g].end());
      if (pools_[g].size() == 1) ++single;
    }
    pools_ = make_pools(paired, groups, of);
    if (single > 0) {
      remark_ =
          join(single, single == 1 ? " group has" : " groups have",
               " only one sample, which is in no pair (pairing.alone = \"self\" pairs it with "
               "itself)");
    }
  }
  if (const int64_t alone = static_cast<int64_t>(members.size()) - grouped; alone > 0) {
    remark_ += join(remark_.empty() ? "" : "; ", alone,
                    alone == 1 ? " sample belongs to no group" : " samples belong to no group");
  }
  if (options_.epoch != "pairs") return;
  first_pair_.assign(1, 0);
  for (int64_t g = 0; g < pools_.count(); ++g) {
    first_pair_.push_back(first_pair_.back() + pairs_among(static_cast<int64_t>(pools_[g].size())));
  }
}

int64_t GroupPairing::count() const {
  return options_.epoch == "pairs" ? first_pair_.back() : pools_.begin.back();
}

Pair GroupPairing::pair(int64_t k, random::Sequence& draws) const {
  return options_.epoch == "pairs" ? pair_of_pool(k, draws) : pair_of_sample(k, draws);
}

Pair GroupPairing::pair_of_sample(int64_t k, random::Sequence& draws) const {
  const int64_t x = pools_.members[static_cast<size_t>(k)];
  const int64_t g = group_of(x);
  const auto pool = pools_[g];
  if (pool.size() == 1) return {x, x};
  auto own = static_cast<size_t>(k - pools_.begin[static_cast<size_t>(g)]);
  if (options_.epoch == "pools") own = draws.below(pool.size());
  const size_t other = draws.below(pool.size() - 1);
  return {pool[own], pool[other < own ? other : other + 1]};
}

/// Pair number k of a pool is (i, j) with i < j, where k = j (j - 1) / 2 + i.
Pair GroupPairing::pair_of_pool(int64_t k, random::Sequence& draws) const {
  const auto after = std::ranges::upper_bound(first_pair_, k);
  const int64_t g = after - first_pair_.begin() - 1;
  const int64_t number = k - first_pair_[static_cast<size_t>(g)];
  auto j = static_cast<int64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(number))) / 2);
  while (pairs_among(j) > number) --j;  // the square root may be rounded either way
  while (pairs_among(j + 1) <= number) ++j;
  const auto pool = pools_[g];
  const int64_t a = pool[static_cast<size_t>(number - pairs_among(j))];
  const int64_t b = pool[static_cast<size_t>(j)];
  return draws.bernoulli(0.5) ? Pair{a, b} : Pair{b, a};
}

}  // namespace adassl::data
