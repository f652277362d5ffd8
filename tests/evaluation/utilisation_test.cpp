#include "adassl/evaluation/utilisation.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

/// Pairs 0, 1, 2, ...: x and x+ are the number of the pair.
class Numbers final : public testing::FakeSource {
 public:
  explicit Numbers(int64_t pairs) : pairs_(pairs) {}
  Shape shape() const override { return {.observation = {1}}; }
  std::optional<int64_t> pair_count() const override { return pairs_; }
  void make_pair(int64_t pair, random::Sequence, const data::PairPlace& out) const override {
    out.x[0] = out.x_plus[0] = static_cast<float>(pair);
  }

 private:
  int64_t pairs_;
};

/// Has no r, and notes which pairs it is asked about.
class Noting final : public testing::FakeMethod, public model::InfersR {
 public:
  model::Usage usage(const model::Views& views, const random::Stream&) override {
    const auto values = nn::doubles(views.x.flatten());
    batches.emplace_back(values.begin(), values.end());
    model::Usage out;
    const Tensor none = torch::zeros({views.x.size(0), 0});
    out.draws = {{none, none, Tensor()}};
    out.inferred = out.imagined = 1;
    return out;
  }
  std::vector<std::multiset<double>> batches;
};

TEST(Utilisation, HasNoPairTwiceInABatch) {
  Noting method;
  testing::results_of(Utilisation({.batch = 64, .batches = 2}), method, Numbers(10));
  ASSERT_EQ(method.batches.size(), 2U);
  for (const auto& batch : method.batches) {
    EXPECT_EQ(batch.size(), 10U);
    EXPECT_EQ(std::set<double>(batch.begin(), batch.end()).size(), 10U);
  }
}

TEST(Utilisation, TakesAsManyPairsAsItIsAskedFor) {
  Noting method;
  testing::results_of(Utilisation({.batch = 6, .batches = 1}), method, Numbers(10));
  ASSERT_EQ(method.batches.size(), 1U);
  EXPECT_EQ(method.batches[0].size(), 6U);
}

}  // namespace
}  // namespace adassl::evaluation
