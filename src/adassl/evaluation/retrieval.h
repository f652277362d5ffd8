#pragma once

#include "adassl/evaluation/change_map.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/evaluation/gallery.h"

namespace adassl::evaluation {

/// Where the truth stands when a gallery is sorted by similarity. Ties for it or against it.
struct Ranks {
  Tensor optimistic;   // [Q] 1 + how many are strictly more similar
  Tensor pessimistic;  // [Q] how many are at least as similar, itself included
};

/// Query i seeks kind truth[i]. Kinds count as often as they have copies.
/// [Q, d], [Q] int64, [M, d], [M] int64, both kinds of rows of length 1
Ranks rank(const Tensor& queries, const Tensor& truth, const Tensor& gallery, const Tensor& copies);

/// Does the predictor know where a told change leads? A query is predict(encode(x), r), with r from
/// the true change through a learned map; it seeks its own x+ among `sources` x `futures` of them,
/// by cosine similarity. Methods without r predict once for each x, and find at best one of its
/// futures first. Nothing where the source has no futures, or where r is needed and the source does
/// not tell the change.
///   mrr, hit1, hit5              mean of 1 / rank, shares of ranks up to 1 and up to 5; of equal
///                                futures the one that is sought comes first
///   mrr_pessimistic, ...         it comes last
///   retrieval_error              mean |n(query) - n(x+)|^2
class Retrieval final : public Evaluation {
 public:
  static constexpr std::string_view kName = "retrieval";
  static constexpr std::string_view kSummary =
      "how well predictions with a told change find their own x+ among many";
  struct Options {
    int64_t sources = 64;
    int64_t futures = 64;
    int64_t pairs = 8192;
    int64_t steps = 1000;
    int64_t batch = 256;
    double learning_rate = 1e-3;
    int64_t hidden = 128;
    void visit(Fields& field) {
      field("sources", sources, "observations that go on", {1, 10000});
      field("futures", futures, "ways in which each goes on", {1, 10000});
      field("pairs", pairs, "training pairs for the map from change to r", {2, 1e7});
      field("steps", steps, "steps of its training", {0, 1e7});
      field("batch", batch, "pairs in each", {1, 1e6});
      field("learning_rate", learning_rate, "of its Adam, at first; falls to 0", {1e-9, 10});
      field("hidden", hidden, "width of its hidden layer", {1, 1024});
    }
  };
  explicit Retrieval(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
