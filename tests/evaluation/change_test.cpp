#include "adassl/evaluation/change.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "adassl/evaluation/inferred_r.h"
#include "contracts/parts.h"
#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::FakeMethod;
using testing::FakeSource;
using testing::results_of;

/// x is noise, the change is two normal numbers.
class Changes : public FakeSource {
 public:
  Shape shape() const override { return {.observation = {2}, .change = 2}; }
  void make_pairs(const data::PairRows& rows, Batch& batch) const override {
    EXPECT_LE(batch.x.rows(), 512);
    FakeSource::make_pairs(rows, batch);
  }
  void make_pair(int64_t, random::Sequence draws, const data::PairPlace& out) const override {
    for (const auto& place : {out.x, out.change}) {
      for (size_t k = 0; k < 2; ++k) place[k] = static_cast<float>(draws.normal());
    }
    std::ranges::fill(out.x_plus, 0.0F);
  }
};

using Inference = std::function<Tensor(const model::Views&)>;

class Infers : public FakeMethod, public model::InfersR {
 public:
  Infers(int64_t width, Inference r) : width_(width), r_(std::move(r)) {}
  int64_t r_width() const override { return width_; }
  model::Usage usage(const model::Views& views, const random::Stream&) override {
    model::Usage usage;
    usage.draws.push_back({r_(views), {}, {}});
    return usage;
  }

 private:
  int64_t width_;
  Inference r_;
};

const Change suite({.pairs = 2000});

TEST(Change, IsAllOfALinearR) {
  Infers method(3, [](const model::Views& views) {
    const Tensor mix = torch::tensor({{1.0F, 2.0F, 0.0F}, {0.0F, -1.0F, 3.0F}});
    return views.change.matmul(mix) + 5;
  });
  const Results results = results_of(suite, method, Changes());
  EXPECT_NEAR(results.metrics.at("r2_r_from_change"), 1, 1e-9);
  EXPECT_NEAR(results.metrics.at("r2_change_from_r"), 1, 1e-9);
  EXPECT_EQ(results.vectors.at("r2_r_from_change_per_dim").size(), 3U);
  EXPECT_EQ(results.vectors.at("r2_change_from_r_per_dim").size(), 2U);
}

TEST(Change, IsHalfOfAnRThatTellsOneOfTwo) {
  Infers method(1, [](const model::Views& views) { return views.change.narrow(1, 1, 1).clone(); });
  const Results results = results_of(suite, method, Changes());
  EXPECT_NEAR(results.metrics.at("r2_r_from_change"), 1, 1e-9);
  EXPECT_NEAR(results.metrics.at("r2_change_from_r"), 0.5, 0.02);
  const auto& each = results.vectors.at("r2_change_from_r_per_dim");
  EXPECT_NEAR(each[0], 0, 0.02);
  EXPECT_NEAR(each[1], 1, 1e-9);
}

TEST(Change, IsNothingOfAnRThatTellsX) {
  Infers method(2, [](const model::Views& views) { return views.x; });
  const Results results = results_of(suite, method, Changes());
  EXPECT_NEAR(results.metrics.at("r2_r_from_change"), 0, 0.02);
  EXPECT_NEAR(results.metrics.at("r2_change_from_r"), 0, 0.02);
}

TEST(Change, IsFoundInAnRThatAlsoTellsX) {
  class Expects : public Infers {
   public:
    using Infers::Infers;
    Tensor expected_r(const Tensor& e) override { return 10 * e; }
  };
  Expects method(2, [](const model::Views& views) { return 10 * views.x + views.change; });
  const Results results = results_of(suite, method, Changes());
  EXPECT_LT(results.metrics.at("r2_change_from_r"), 0.05) << "x drowns the change";
  EXPECT_NEAR(results.metrics.at("r2_change_from_r_beyond_x"), 1, 1e-6);
  EXPECT_NEAR(results.metrics.at("r2_r_from_change_beyond_x"), 1, 1e-6);
  Infers plain(2, [](const model::Views& views) { return views.change.clone(); });
  EXPECT_FALSE(results_of(suite, plain, Changes()).metrics.contains("r2_change_from_r_beyond_x"));
}

TEST(InferredR, IsLessWhatIsExpectedFromX) {
  class Doubles : public Infers {
   public:
    using Infers::Infers;
    Tensor expected_r(const Tensor& e) override { return e; }
  };
  Doubles method(2, [](const model::Views& views) { return views.x + views.x_plus; });
  const Tensor x = torch::rand({5, 2}), x_plus = torch::rand({5, 2});
  const InferredR found = infer_r(method, x, x_plus, 3, {1, "noise"});
  EXPECT_LT((found.r - x_plus).abs().max().item<double>(), 1e-6);
}

TEST(Change, LeavesDimensionsThatDoNotVaryOutOfTheMean) {
  Infers method(3, [](const model::Views& views) {
    return torch::cat({views.change, torch::full({views.x.size(0), 1}, 4.0F)}, 1);
  });
  const Results results = results_of(suite, method, Changes());
  EXPECT_NEAR(results.metrics.at("r2_r_from_change"), 1, 1e-9);
  EXPECT_EQ(results.vectors.at("r2_r_from_change_per_dim").at(2), 0);
}

TEST(Change, IsNoQuestionWithoutAnRThatVariesOrAChangeThatIsTold) {
  Infers constant(1, [](const model::Views& views) { return torch::ones({views.x.size(0), 1}); });
  EXPECT_TRUE(results_of(suite, constant, Changes()).metrics.empty());
  EXPECT_TRUE(results_of(suite, constant, FakeSource()).metrics.empty());
  FakeMethod without;
  EXPECT_TRUE(results_of(suite, without, Changes()).metrics.empty());
}

TEST(Change, IsScoredOnPairsThatTheMapsHaveNotSeen) {
  class Finite : public Changes {
   public:
    std::optional<int64_t> pair_count() const override { return 1500; }
    void make_pair(int64_t number, random::Sequence draws,
                   const data::PairPlace& out) const override {
      Changes::make_pair(number, draws, out);
      out.x[0] = static_cast<float>(number);
    }
  };
  std::vector<float> numbers;
  Infers method(1, [&](const model::Views& views) {
    const Tensor x = views.x.select(1, 0).contiguous();
    numbers.insert(numbers.end(), x.data_ptr<float>(), x.data_ptr<float>() + x.numel());
    return views.change.narrow(1, 1, 1).clone();
  });
  results_of(Change({.pairs = 2000}), method, Finite());
  std::ranges::sort(numbers);
  ASSERT_EQ(numbers.size(), 1500U);
  EXPECT_TRUE(std::ranges::adjacent_find(numbers) == numbers.end());
}

TEST(Change, OfAMethodThatIsToldItIsComplete) {
  const auto experiment = study::build_experiment(testing::small_config({"method=adassl-gt"}));
  const Results results =
      results_of(Change({.pairs = 600}), *experiment.method, *experiment.source);
  EXPECT_NEAR(results.metrics.at("r2_r_from_change"), 1, 1e-6);
  EXPECT_NEAR(results.metrics.at("r2_change_from_r"), 1, 1e-6);
}

}  // namespace
}  // namespace adassl::evaluation
