#pragma once

#include <string>

#include "adassl/data/groups.h"
#include "adassl/data/pairing/pairing.h"

namespace adassl::data {

/// Two different samples of one group.
///
/// With a corruption rate omega, as in the paper's iNat pairs, every sample is corrupted with
/// probability omega, once for all. A clean sample is paired with a clean one of its group, a
/// corrupted one with a corrupted one of its coarser group:
///   pool(i) = {j : c_j = c_i, and group_j = group_i if c_i = 0, coarse_j = coarse_i if c_i = 1}
/// In an epoch of samples, x is each sample once and x+ is drawn from the rest of its pool. In an
/// epoch of pools each sample names its pool once, and both x and x+ are drawn from it, as in the
/// paper's code. In an epoch of pairs every unordered pair occurs once, in random order.
class GroupPairing final : public Pairing {
 public:
  struct Options {
    static constexpr std::string_view kName = "group";
    static constexpr std::string_view kSummary =
        "two samples of one group: a column, the folder, or a part of the path";
    std::string by = "folder";
    std::string epoch = "samples";
    std::string alone = "drop";
    std::string coarse;
    double corruption = 0;
    std::string corrupted;
    void visit(Fields& field) {
      field("by", by,
            "what the groups are: folder, a column, or a regular expression over the "
            "paths whose parentheses match the group");
      field("epoch", epoch,
            "what occurs once in an epoch: each sample as x, each sample as the name of a pool "
            "from which both are drawn, or each pair of a group",
            {"samples", "pools", "pairs"});
      field("alone", alone, "a sample without a partner is left out, or paired with itself",
            {"drop", "self"});
      field("coarse", coarse, "the coarser groups in which corrupted samples are paired");
      field("corruption", corruption, "the share of samples that are corrupted", {0, 1});
      field("corrupted", corrupted,
            "a column that says 1 for corrupted samples and 0 for others, instead of drawing them");
    }
  };
  GroupPairing(const Options& options, const PairingContext& context);

  Bonds bonds() const override { return {groups_.of, groups_.count()}; }
  void use(std::span<const int64_t> members) override;
  int64_t count() const override;
  Pair pair(int64_t k, random::Sequence& draws) const override;
  int64_t group_of(int64_t sample) const override;
  std::string remark() const override { return remark_; }

 private:
  Pair pair_of_sample(int64_t k, random::Sequence& draws) const;
  Pair pair_of_pool(int64_t k, random::Sequence& draws) const;

  Options options_;
  Groups groups_;
  Groups coarse_;
  std::vector<bool> corrupted_;
  Pools pools_;  // at least two members each, or one if it is paired with itself
  std::vector<int64_t> first_pair_;  // of each pool, in an epoch of pairs
  std::string remark_;
};

}  // namespace adassl::data
