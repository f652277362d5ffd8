#pragma once

#include <string>

#include "adassl/data/mnist.h"
#include "adassl/data/moving_digit.h"
#include "adassl/data/source.h"

namespace adassl::data {

/// The paper's stochastic Moving-MNIST: a digit moves over a dark canvas; after three frames one
/// component of its velocity changes at random.
///   x = frames 1-3, with v;   x+ = frames 4-6, x++ = frames 7-9, both with v'
/// The factors are v and v', the change is v' - v, the label is the digit. Which component changes
/// is a fair coin in setting A; in setting B the digit k decides: P(v_y changes) = 0.1 + 0.8 k/9.
///
/// Populations: train uses all training digits but the last `validation` ones; validation uses
/// those last ones; test is a fixed set of clips, one for each test digit. Futures continue
/// validation clips. moving_digit.h says how digits move.
class MovingMnist final : public PairwiseSource {
 public:
  struct Options {
    static constexpr std::string_view kName = "moving_mnist";
    static constexpr std::string_view kSummary =
        "clips of a digit whose velocity changes between x and x+";
    std::string folder = "data/mnist";
    std::string setting = "A";
    std::string placement = "rounded";
    int64_t test_seed = 1;
    int64_t validation = 10000;
    void visit(Fields& field) {
      field.path("folder", folder, "folder with the four MNIST files");
      field("setting", setting,
            "component of the velocity that changes: A: either axis, by a fair coin; B: depends on "
            "the digit",
            {"A", "B"});
      field("placement", placement,
            "whether the positions of digits are rounded to whole pixels or interpolated",
            {"rounded", "bilinear"});
      field("test_seed", test_seed, "seed of the fixed test clips, independent of the run's seed",
            {0, 9e15});
      field("validation", validation,
            "number of training digits, the last ones, that are held out for validation", {1, 1e9});
    }
  };

  MovingMnist(const Options& options, uint64_t seed);

  Shape shape() const override {
    return {.observation = {1, kSegment, kCanvas, kCanvas},
            .change = 2,
            .columns = {{"v_x"}, {"v_y"}, {"digit", Column::Kind::kClass, 10}},
            .continues = true,
            .helper = true};
  }
  void make_pair(int64_t number, random::Sequence draws, const PairPlace& out) const override;
  std::vector<std::string> populations() const override { return {"train", "validation", "test"}; }
  std::string held_out() const override { return "test"; }
  std::string watched() const override { return "validation"; }
  std::optional<int64_t> fixed_size(const std::string& population) const override {
    if (population != "test") return {};
    return mnist_.test.count();
  }
  /// The test clips are the same for every stream; Error when there are less than `count`.
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override {
    return samples_from(population, stream, 0, count);
  }
  Samples samples_from(const std::string& population, const random::Stream& stream, int64_t first,
                       int64_t count) const override;
  bool makes_samples_apart() const override { return true; }
  Futures futures(const random::Stream& stream, int64_t first, int64_t sources,
                  int64_t each) const override;
  /// Of validation digits.
  Batch watched_pairs(const random::Stream& stream, int64_t count) const override;

  const Mnist& mnist() const { return mnist_; }
  /// P(v_y changes) for a digit with this label.
  double chance_of_y(int64_t label) const;

 private:
  struct Digit;  // a digit with its label and initial motion
  Digit draw_training(random::Sequence& draws) const;
  Digit draw_validation(random::Sequence& draws) const;
  void make_pair_of(const Digit& digit, random::Sequence& draws, const PairPlace& out) const;

  Options options_;
  Placement placement_;
  Mnist mnist_;
};

}  // namespace adassl::data
