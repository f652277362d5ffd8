#include "adassl/evaluation/blocks.h"

#include <gtest/gtest.h>

#include "evaluation/fakes.h"
#include "support/error_message.h"

namespace adassl::evaluation {
namespace {

using testing::FakeMethod;
using testing::FakeSource;

TEST(Blocks, ShrinkWithTheSizeOfAnObservation) {
  EXPECT_EQ(block_rows(10), 4096);
  EXPECT_EQ(block_rows(3 * 64 * 64), 64);
  EXPECT_EQ(block_rows(1 << 22), 1);
}

TEST(Blocks, KeepTheRowsInOrder) {
  const Tensor x = torch::arange(300 * 12288, torch::kFloat32).view({300, 12288});
  int calls = 0;
  const Tensor first = in_blocks(x, [&](const Tensor& block) {
    ++calls;
    return block.narrow(1, 0, 1);
  });
  EXPECT_EQ(calls, 5);
  EXPECT_TRUE(torch::equal(first, x.narrow(1, 0, 1)));
}

class Large : public FakeSource {
 public:
  Shape shape() const override { return {.observation = {1, 3, 64, 64}}; }
};

std::vector<int64_t> sizes_of(const std::vector<Piece>& pieces) {
  std::vector<int64_t> out;
  for (const Piece& piece : pieces) out.push_back(piece.rows);
  return out;
}

TEST(Pieces, AreOneForWhatIsSmallAndAddUp) {
  EXPECT_EQ(sizes_of(pieces(FakeSource(), 100'000)), (std::vector<int64_t>{100'000}));
  EXPECT_EQ(sizes_of(pieces(Large(), 1500)), (std::vector<int64_t>{682, 682, 136}));
  EXPECT_TRUE(pieces(Large(), 0).empty());
  EXPECT_EQ(pieces(Large(), 1500)[2].first, 2 * 682);
  EXPECT_EQ(pieces(Large(), 1500)[2].number, 2U);
}

/// Claims to have large observations, so that they are drawn in pieces of two. Each is the number
/// of a sample. The population "listed" has ten of them, "endless" has no end.
class Numbered : public FakeSource {
 public:
  Shape shape() const override { return {.observation = {1 << 22}, .columns = {{"number"}}}; }
  std::vector<std::string> populations() const override { return {"listed", "endless"}; }
  std::optional<int64_t> population_size(const std::string& population) const override {
    return population == "listed" ? std::optional<int64_t>(10) : std::nullopt;
  }
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override {
    EXPECT_LE(count, 10);
    const auto order = random::permutation(10, stream);
    Samples out{make_array({count, 1}), make_array({count, 1})};
    for (int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<float>(order[static_cast<size_t>(i)]);
      row_of(out.x, i)[0] = population == "listed" ? number : static_cast<float>(stream.step());
      row_of(out.known, i)[0] = number;
    }
    return out;
  }
};

TEST(Pieces, OfAFinitePopulationContainEachSampleOnce) {
  FakeMethod method;
  const Numbered source;
  const Subject subject{.method = method, .source = source, .seed = 1};
  const auto all = look_at_samples(subject, "listed", "test", 10, [](const Samples& samples) {
    return std::vector{nn::view(samples.x).clone(), nn::view(samples.known).clone()};
  });
  EXPECT_TRUE(torch::equal(std::get<0>(all[0].flatten().sort()), torch::arange(10).to(all[0])));
  EXPECT_TRUE(torch::equal(all[0], all[1])) << "the ground truth belongs to its sample";
}

/// Observations that are drawn in pieces of 100, each the number of its sample or pair. One of them
/// can be broken.
class Photos : public FakeSource {
 public:
  explicit Photos(float broken = -1) : broken_(broken) {}
  Shape shape() const override { return {.observation = {1 << 16}, .columns = {{"number"}}}; }
  std::optional<int64_t> pair_count() const override { return 300; }
  void make_pair(int64_t pair, random::Sequence draws, const data::PairPlace& out) const override {
    require_whole(static_cast<float>(pair));
    std::ranges::fill(out.x, static_cast<float>(pair));
    std::ranges::fill(out.x_plus, static_cast<float>(draws.uniform()));
    out.factors[0] = out.factors_plus[0] = static_cast<float>(pair);
  }
  std::string name_of(int64_t pair) const override { return join("photo-", pair, ".jpg"); }
  std::optional<int64_t> population_size(const std::string&) const override { return 300; }
  bool makes_samples_apart() const override { return true; }
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override {
    return samples_from(population, stream, 0, count);
  }
  Samples samples_from(const std::string&, const random::Stream& stream, int64_t first,
                       int64_t count) const override {
    const auto order = random::permutation(300, stream);
    Samples out{make_array({count, 1 << 16}), make_array({count, 1})};
    for (int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<float>(order[static_cast<size_t>(first + i)]);
      require_whole(number);
      std::ranges::fill(row_of(out.x, i), number);
      row_of(out.known, i)[0] = number;
    }
    return out;
  }

 private:
  void require_whole(float number) const {
    ADASSL_CHECK(number != broken_, "expected photo ", number, " to be whole");
  }
  float broken_;
};

struct Looked {
  Tensor samples, pairs;
};

/// The first number of each observation and of each x+, with this many workers.
Looked look_at(const data::Source& source, const data::Prefetch& prefetch) {
  FakeMethod method;
  const Subject subject{.method = method, .source = source, .seed = 1, .prefetch = prefetch};
  const auto samples = look_at_samples(subject, "seen", "test", 300, [](const Samples& some) {
    return std::vector{torch::cat({nn::view(some.x).narrow(1, 0, 1), nn::view(some.known)}, 1)};
  });
  const auto pairs = look_at_pairs(subject, "test", 300, [](const Batch& batch) {
    return std::vector{
        torch::cat({nn::view(batch.x).narrow(1, 0, 1), nn::view(batch.x_plus).narrow(1, 0, 1)}, 1)};
  });
  return {samples[0], pairs[0]};
}

TEST(Pieces, AreTheSameWhateverTheWorkersAndTheDepth) {
  const Photos source;
  ASSERT_EQ(pieces(source, 300).size(), 3U);
  const Looked expected = look_at(source, {.workers = 0});
  EXPECT_TRUE(torch::equal(std::get<0>(expected.samples.select(1, 0).sort()),
                           torch::arange(300).to(torch::kFloat32)));
  EXPECT_TRUE(torch::equal(std::get<0>(expected.pairs.select(1, 0).sort()),
                           torch::arange(300).to(torch::kFloat32)));
  for (const int64_t workers : {1, 2, 5}) {
    for (const int64_t depth : {1, 4}) {
      const Looked looked = look_at(source, {workers, depth});
      EXPECT_TRUE(torch::equal(looked.samples, expected.samples)) << workers << ", " << depth;
      EXPECT_TRUE(torch::equal(looked.pairs, expected.pairs)) << workers << ", " << depth;
    }
  }
}

TEST(Pieces, PassOnWhatASourceThrows) {
  for (const int64_t workers : {0, 1, 5}) {
    const Photos source(270);
    FakeMethod method;
    const Subject subject{
        .method = method, .source = source, .seed = 1, .prefetch = {.workers = workers}};
    const auto look = [](const auto&) { return std::vector<Tensor>(); };
    EXPECT_EQ(testing::error_of([&] { look_at_pairs(subject, "test", 300, look); }),
              "[photo-270.jpg] expected photo 270 to be whole");
    EXPECT_EQ(testing::error_of([&] { look_at_samples(subject, "seen", "test", 300, look); }),
              "expected photo 270 to be whole");
  }
}

TEST(LookAtScored, IsOneDrawOfThePopulationThatIsScored) {
  class HoldsOut : public Numbered {
   public:
    std::string held_out() const override { return "listed"; }
    std::string watched() const override { return "endless"; }
  };
  FakeMethod method;
  const HoldsOut source;
  const auto looked = [&](bool watching, int64_t count) {
    const Subject subject{.method = method, .source = source, .seed = 1, .watching = watching};
    const auto all = look_at_scored(subject, "test", count, [](const Samples& samples) {
      EXPECT_LE(samples.x.rows(), 2);
      return std::vector{nn::view(samples.known).clone()};
    });
    return std::get<0>(all[0].flatten().sort());
  };
  EXPECT_TRUE(torch::equal(looked(false, 50), torch::arange(10).to(torch::kFloat32)));
  EXPECT_EQ(looked(false, 5).numel(), 5);
  EXPECT_TRUE(torch::equal(looked(true, 10), torch::arange(10).to(torch::kFloat32)));
}

TEST(Pieces, OfAPopulationWithoutEndAreDrawnFromStreamsOfTheirOwn) {
  FakeMethod method;
  const Numbered source;
  const Subject subject{.method = method, .source = source, .seed = 1};
  const auto steps = look_at_samples(subject, "endless", "test", 6, [](const Samples& samples) {
    return std::vector{nn::view(samples.x).clone()};
  });
  EXPECT_TRUE(
      torch::equal(steps[0].flatten(), torch::tensor({0.0F, 0.0F, 1.0F, 1.0F, 2.0F, 2.0F})));
}

}  // namespace
}  // namespace adassl::evaluation
