#pragma once

#include <string>

#include "adassl/data/pairing/pairing.h"

namespace adassl::data {

/// The pairs of a file: each line or row names x, x+ and, if there is a third column, x++. A CSV
/// file has the columns a, b and c, or at least two columns whose order counts; it names samples as
/// the table beside the data does, or by their numbers. An npy file holds whole numbers [P, 2] or
/// [P, 3]. Every pair occurs once in an epoch. Pairs of samples that are not used are left out.
class ListPairing final : public Pairing {
 public:
  struct Options {
    static constexpr std::string_view kName = "list";
    static constexpr std::string_view kSummary = "the pairs of a CSV or npy file";
    std::string path;
    bool ordered = true;
    void visit(Fields& field) {
      field.path("path", path,
            "a CSV file with the columns a, b and perhaps c (x++), or npy [P, 2 or 3]");
      field("ordered", ordered, "x is always the first; otherwise the two change places at random");
    }
  };
  ListPairing(const Options& options, const PairingContext& context);

  Bonds bonds() const override;
  void use(std::span<const int64_t> members) override;
  int64_t count() const override { return static_cast<int64_t>(used_.size()); }
  Pair pair(int64_t k, random::Sequence& draws) const override;
  bool has_further() const override { return further_; }
  std::string remark() const override { return remark_; }

 private:
  void read_table(const std::string& path);
  void read_numbers(const std::string& path);
  void add(const int64_t* numbers, int64_t width, const std::string& where);

  const SampleSet& samples_;
  bool ordered_;
  bool further_ = false;
  std::vector<Pair> pairs_;
  std::vector<uint32_t> used_;  // numbers of pairs
  std::string remark_;
};

}  // namespace adassl::data
