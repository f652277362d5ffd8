#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adassl/data/fetched.h"
#include "adassl/data/pairing/pairing.h"
#include "adassl/data/samples/samples.h"
#include "adassl/data/source.h"
#include "adassl/data/splits.h"
#include "adassl/data/views/view.h"

namespace adassl::data {

/// Pairs from a user's own files, made of three parts:
///   samples (what is there?)   pairing (which two belong together?)   views (how is it seen?)
/// x and x+ are views of the two samples of a pair, drawn independently. x++ is a further view of
/// x+, or of a third sample if the pairing names one, and the mirror helper a further view of x.
///
/// Pairs are made of training samples only. Populations: train, validation and test; they are seen
/// as the view `plain` sees them. Columns of the data are their ground truth; a column of classes
/// is left out if held-out samples have classes that no training sample has. Numbers are the
/// factors, and the change of a pair is their difference in standard deviations, followed by that
/// of the binary columns (-1, 0 or 1) if `change` says so.
class Files final : public PairwiseSource {
 public:
  struct Options {
    static constexpr std::string_view kName = "files";
    static constexpr std::string_view kSummary =
        "your own files: choose samples, pairing and views";
    static std::vector<PartUse> uses() {
      return {{"samples", "arrays"}, {"pairing", "self"}, {"views", "plain"}};
    }
    SplitOptions split;
    SeenOptions seen;
    std::string change = "factors";
    void visit(Fields& field) {
      split.visit(field);
      field("change", change, "what the true change of a pair consists of",
            {"factors", "factors and binary"});
      seen.visit(field);
    }
  };
  struct Parts {
    std::shared_ptr<SampleSet> samples;
    std::shared_ptr<Pairing> pairing;
    std::shared_ptr<View> view;                  // for training
    std::shared_ptr<View> plain;                 // for evaluation
    std::shared_ptr<Pairing> watched = nullptr;  // a second one, for pairs of validation samples
  };
  Files(const Options& options, Parts parts);

  Shape shape() const override { return shape_; }
  std::optional<int64_t> pair_count() const override { return parts_.pairing->count(); }
  void make_pair(int64_t pair, random::Sequence draws, const PairPlace& out) const override;
  std::string name_of(int64_t pair) const override;
  std::vector<std::string> populations() const override;
  std::string held_out() const override { return populations().back(); }
  std::string watched() const override;
  std::optional<int64_t> fixed_size(const std::string& population) const override;
  std::optional<int64_t> population_size(const std::string& population) const override;
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override {
    return samples_from(population, stream, 0, count);
  }
  Samples samples_from(const std::string& population, const random::Stream& stream, int64_t first,
                       int64_t count) const override;
  bool makes_samples_apart() const override { return true; }
  /// Pairs of validation samples, or of training samples where validation has fewer than 64 pairs.
  Batch watched_pairs(const random::Stream& stream, int64_t count) const override;
  bool holds_pairs_out() const override { return &watched_pairing() != parts_.pairing.get(); }
  std::vector<Unusable> unusable() const override;
  void leave_out(const std::vector<Unusable>& parts) override;

  /// These samples as the view `plain` sees them: [N, ...].
  Array seen_plainly(std::span<const int64_t> samples) const;
  /// The samples of pairs(stream, count), in the same order.
  std::vector<Pair> samples_of_pairs(const random::Stream& stream, int64_t count) const;
  const GroundTruth& truth() const { return truth_; }
  const Parts& parts() const { return parts_; }
  const SampleSet& sample_set() const { return *parts_.samples; }
  const Pairing& pairing() const { return *parts_.pairing; }
  const Split& split() const { return split_; }
  const View& view() const { return *parts_.view; }

 private:
  void arrange(std::vector<Rejected> rejected);
  void choose_columns();
  const Pairing& watched_pairing() const;
  void make_pair_of(const Pairing& pairing, int64_t number, random::Sequence& draws,
                    const PairPlace& out) const;
  const std::vector<int64_t>* list_of(const std::string& population) const;

  Options options_;
  Parts parts_;
  std::vector<Rejected> rejected_;
  Split split_;
  Shape shape_;
  GroundTruth truth_;
  std::vector<size_t> factors_;      // the columns of truth_ that are numbers
  std::vector<float> change_scale_;  // 1 / standard deviation of each factor
  std::vector<size_t> switches_;     // binary columns that are part of the change
};

/// Whether a kind of source is one of files: `files` itself, or a named data set (data/named/).
bool is_of_files(std::string_view kind);

/// Chooses what the configuration leaves open, as soon as the samples are known.
using Choose = std::function<void(Config& config, const SampleSet& samples)>;

/// The parts are made from the sections samples, pairing and views.
std::shared_ptr<Files> make_files(Config& config, const Files::Options& options, uint64_t seed,
                                  const Choose& choose = {});

/// The entry of the table of sources: its parts are made from the sections samples, pairing and
/// views.
SourceEntry files_entry();

}  // namespace adassl::data
