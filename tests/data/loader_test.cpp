#include "adassl/data/loader.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "adassl/data/numerical.h"
#include "support/error_message.h"

namespace adassl::data {
namespace {

using testing::error_of;

/// 50 distinguishable pairs, one of which may throw an exception.
class Numbered final : public PairwiseSource {
 public:
  explicit Numbered(int64_t broken = -1) : broken_(broken) {}
  Shape shape() const override { return {.observation = {3}}; }
  std::optional<int64_t> pair_count() const override { return 50; }
  void make_pair(int64_t pair, random::Sequence draws, const PairPlace& out) const override {
    ++made;
    ADASSL_CHECK(pair != broken_, "expected a picture, got noise");
    std::ranges::fill(out.x, static_cast<float>(pair));
    for (float& value : out.x_plus) value = static_cast<float>(draws.normal());
  }
  std::string name_of(int64_t pair) const override { return join("photo-", pair, ".jpg"); }
  std::vector<std::string> populations() const override { return {"all"}; }
  Samples samples(const std::string&, const random::Stream&, int64_t) const override { return {}; }

  mutable std::atomic<int64_t> made = 0;

 private:
  int64_t broken_;
};

LoaderContext context(const Source& source, int64_t workers, int64_t depth) {
  return {.source = source, .seed = 3, .batch = 12, .steps = 9, .prefetch = {workers, depth}};
}

/// All batches, one after the other.
std::vector<float> bytes_of(const Source& source, int64_t workers, int64_t depth) {
  Loader loader(context(source, workers, depth));
  std::vector<float> out;
  for (int64_t step = 0; step < 9; ++step) {
    const Batch batch = loader.take(step);
    for (const Array* array : {&batch.x, &batch.x_plus, &batch.helper, &batch.change}) {
      out.insert(out.end(), array->values.begin(), array->values.end());
    }
  }
  return out;
}

TEST(Loader, MakesTheSameBytesWhateverTheWorkersAndTheDepth) {
  Numerical::Options options;
  options.mixing.candidates = 10;
  const Numerical generated(options, 1);
  const Numbered finite;
  for (const Source* source :
       {static_cast<const Source*>(&generated), static_cast<const Source*>(&finite)}) {
    const auto expected = bytes_of(*source, 0, 1);
    for (const int64_t workers : {1, 2, 5}) {
      for (const int64_t depth : {1, 4}) {
        EXPECT_EQ(bytes_of(*source, workers, depth), expected) << workers << ", " << depth;
      }
    }
  }
}

TEST(Loader, FollowsTheOrder) {
  const Numbered source;
  const Order order(50, 3, 12);
  Loader loader(context(source, 2, 1));
  for (int64_t step = 0; step < 9; ++step) {
    const Batch batch = loader.take(step);
    for (int64_t row = 0; row < 12; ++row) {
      EXPECT_EQ(batch.x.values[static_cast<size_t>(3 * row)],
                static_cast<float>(order.at(step, row)));
    }
  }
}

TEST(Loader, CanBeginAnywhereAndGoBack) {
  const Numbered source;
  Loader loader(context(source, 2, 3));
  const Batch fifth = loader.take(5);
  loader.take(6);
  EXPECT_EQ(loader.take(5).x_plus.values, fifth.x_plus.values);
}

TEST(Loader, MakesNoMoreThanThereAre) {
  const Numbered source;
  {
    Loader loader(context(source, 1, 4));
    loader.take(7);
    loader.take(8);
  }
  EXPECT_EQ(source.made, 24);
}

TEST(Loader, PassesOnWhatASourceThrowsWithThePairsName) {
  const Order order(50, 3, 12);
  const int64_t broken = order.at(2, 4);
  for (const int64_t workers : {0, 1, 5}) {
    const Numbered source(broken);
    Loader loader(context(source, workers, 2));
    loader.take(0);
    loader.take(1);
    EXPECT_EQ(error_of([&] { loader.take(2); }),
              join("[photo-", broken, ".jpg] expected a picture, got noise"));
    EXPECT_NO_THROW(loader.take(3));
  }
}

std::vector<float> values_of(const Samples& samples) {
  std::vector<float> out(samples.x.values.begin(), samples.x.values.end());
  out.insert(out.end(), samples.known.values.begin(), samples.known.values.end());
  return out;
}

TEST(Jobs, MakeWhatTheSourceMakesWhenItIsAskedItself) {
  Numerical::Options options;
  options.mixing.candidates = 10;
  const Numerical numerical(options, 1);
  const Numbered finite;
  const random::Stream stream(1, "test");
  for (const Prefetch prefetch : {Prefetch{0, 1}, Prefetch{1, 1}, Prefetch{2, 4}, Prefetch{5, 4}}) {
    for (const Source* source :
         {static_cast<const Source*>(&numerical), static_cast<const Source*>(&finite)}) {
      const auto start = [&](int64_t k) { return job_of_pairs(*source, stream, 150, 150 * k); };
      Ahead<Batch> ahead(start, 3, prefetch);
      for (int64_t k = 0; k < 3; ++k) {
        const Batch batch = ahead.take(k), expected = source->pairs(stream, 150, 150 * k);
        EXPECT_EQ(batch.x.values, expected.x.values);
        EXPECT_EQ(batch.x_plus.values, expected.x_plus.values);
        EXPECT_EQ(batch.factors.values, expected.factors.values);
      }
    }
    Ahead<Samples> ahead(
        [&](int64_t k) { return job_of_samples(numerical, "pz", stream, 100 * k, 100); }, 3,
        prefetch);
    for (int64_t k = 0; k < 3; ++k) {
      EXPECT_EQ(values_of(ahead.take(k)),
                values_of(numerical.samples_from("pz", stream, 100 * k, 100)));
    }
  }
}

TEST(Ahead, DoesNotWaitForAWorkerThatIsBusyWithAnotherJob) {
  std::atomic<bool> busy = false, released = false;
  const auto start = [&](int64_t number) {
    const auto make = [&, number](int64_t row, int64_t) {
      if (number != 1 || row != 0) return;
      busy = true;
      while (!released) std::this_thread::yield();
    };
    return Job<int64_t>{std::make_shared<int64_t>(number), {2, 1, make}};
  };
  Ahead<int64_t> ahead(start, 3, {.workers = 1, .depth = 2});
  EXPECT_EQ(ahead.take(0), 0);
  while (!busy) std::this_thread::yield();
  EXPECT_EQ(ahead.take(2), 2) << "made by the caller, since the only worker is in job 1";
  released = true;
}

TEST(Ahead, MakesAnEmptyJob) {
  const auto start = [](int64_t) { return Job<int>{std::make_shared<int>(7), {0, 64, {}}}; };
  EXPECT_EQ(Ahead<int>(start, 1, {.workers = 1}).take(0), 7);
}

TEST(Batch, ThatDoesNotFitIntoMemoryIsRefusedBeforeMemoryIsTaken) {
  EXPECT_NE(error_of([] {
              make_batch({.observation = {1 << 20, 1 << 10}}, 1 << 20);
            }).find("[data] expected a batch that fits into memory, got 1048576 pairs"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              make_observations({.observation = {1 << 20, 1 << 10}}, 1 << 20);
            }).find("got 1048576 observations: they need"),
            std::string::npos);
}

TEST(Observations, NeedTheMemoryOfOneView) {
  const Source::Shape shape{
      .observation = {3, 4}, .helper = true, .mirror_helper = true, .element = Element::kUint8};
  const Array x = make_observations(shape, 5);
  EXPECT_EQ(x.shape, (std::vector<int64_t>{5, 3, 4}));
  EXPECT_EQ(x.bytes.size(), 60U);
  EXPECT_TRUE(x.values.empty());
}

TEST(Source, PassesOnWhatIsThrownOnOtherThreads) {
  const Numbered source(7);
  EXPECT_EQ(error_of([&] {
              source.pairs({1, "pairs"}, 50);
            }),
            "[photo-7.jpg] expected a picture, got noise");
}

TEST(Source, ChoosesPairsOfAFiniteSetWithoutRepeatingOne) {
  const Numbered source;
  const Batch batch = source.pairs({1, "pairs"}, 50);
  std::vector<float> numbers;
  for (size_t i = 0; i < 50; ++i) numbers.push_back(batch.x.values[3 * i]);
  EXPECT_FALSE(std::ranges::is_sorted(numbers));
  std::ranges::sort(numbers);
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(numbers[i], static_cast<float>(i));
}

}  // namespace
}  // namespace adassl::data
