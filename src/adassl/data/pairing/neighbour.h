#pragma once

#include <memory>
#include <string>

#include "adassl/data/kd_tree.h"
#include "adassl/data/pairing/pairing.h"

namespace adassl::data {

/// x+ is the sample whose columns are nearest to those of x after some of them were redrawn, as in
/// the paper's 3DIdent pairs:
///   u: the columns of another sample,   z_i+ = u_i with probability `redraw`, else z_i
///   x+ = argmin_{j != x} |z_j - z+|
/// The search is exact. Columns that are "shared" still differ by the distance to the nearest
/// sample, which is large where samples are few.
class NeighbourPairing final : public Pairing {
 public:
  struct Options {
    static constexpr std::string_view kName = "neighbour";
    static constexpr std::string_view kSummary =
        "the sample nearest in given columns to a partly redrawn point";
    std::vector<std::string> columns;
    double redraw = 0.2;
    bool standardise = true;
    void visit(Fields& field) {
      field("columns", columns, "columns of numbers in which samples are near each other");
      field("redraw", redraw, "the probability with which a column is redrawn", {0, 1});
      field("standardise", standardise, "divide each column by its standard deviation first");
    }
  };
  NeighbourPairing(const Options& options, const PairingContext& context);

  void use(std::span<const int64_t> members) override;
  int64_t count() const override { return members_.size() < 2 ? 0 : tree_->count(); }
  Pair pair(int64_t k, random::Sequence& draws) const override;

 private:
  Options options_;
  const SampleSet& samples_;
  std::vector<const DataColumn*> columns_;
  std::vector<int64_t> members_;
  std::unique_ptr<KdTree> tree_;
};

}  // namespace adassl::data
