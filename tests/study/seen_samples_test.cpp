#include "adassl/study/seen_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/files.h"
#include "study/picture_run.h"
#include "support/error_message.h"
#include "support/small_files.h"

namespace adassl::study {
namespace {

/// 40 pictures, of which a model sees ten at a time.
class SeenPictures : public ::testing::Test {
 protected:
  SeenPictures() : model_(model_of(open(), 0)) {
    const auto& files = dynamic_cast<const data::Files&>(*experiment_->source);
    samples_ = {files.parts().samples, files.parts().plain,
                data::usable_samples(files.sample_set(), {})};
  }
  const Experiment& open() {
    testing::put_pictures(folder_.path(), 5, 8);
    experiment_ = build_experiment(
        testing::picture_run(folder_.path(), {"views.size=256", "encoder.hidden=[4]"}));
    return *experiment_;
  }
  std::vector<int64_t> blocks(const data::Prefetch& prefetch) {
    model_.prefetch = prefetch;
    std::vector<int64_t> out;
    for_each_block(model_, samples_, Output::kEmbedding,
                   [&](int64_t first, const Array&) { out.push_back(first); });
    return out;
  }
  auto rows(const data::Prefetch& prefetch) {
    model_.prefetch = prefetch;
    return all_rows(model_, samples_, Output::kEmbedding).values;
  }

  testing::TemporaryDirectory folder_;
  std::optional<Experiment> experiment_;
  Restored model_;
  SeenSamples samples_;
};

TEST_F(SeenPictures, HaveTheSameEmbeddingsWhateverTheWorkersAndTheDepth) {
  EXPECT_EQ(blocks({2, 4}), (std::vector<int64_t>{0, 10, 20, 30}));
  const auto expected = rows({.workers = 0});
  EXPECT_EQ(expected.size(), 40U * 4);
  for (const int64_t workers : {1, 2, 5}) {
    for (const int64_t depth : {1, 4}) EXPECT_EQ(rows({workers, depth}), expected) << workers;
  }
}

TEST_F(SeenPictures, AreNamedWhereOneOfThemIsLost) {
  std::filesystem::remove(folder_ / "f3/2.png");
  for (const int64_t workers : {0, 1, 5}) {
    EXPECT_THAT(testing::error_of([&] { rows({workers, 4}); }), ::testing::HasSubstr("f3/2.png"));
  }
}

TEST_F(SeenPictures, AreMadeAheadAsTheRunSays) {
  const Experiment other = build_experiment(
      testing::picture_run(folder_.path(), {"train.workers=3", "train.prefetch=2"}));
  EXPECT_EQ(model_of(other, 0).prefetch.workers, 3);
  EXPECT_EQ(model_of(other, 0).prefetch.depth, 2);
  EXPECT_EQ(subject_of(other).prefetch.workers, 3);
}

}  // namespace
}  // namespace adassl::study
