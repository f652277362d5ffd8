#include "adassl/evaluation/partner.h"

#include <gtest/gtest.h>

#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::FakeMethod;
using testing::FakeSource;
using testing::results_of;

/// Two columns of x+: `shared`, which x shows in its first number, and `changed`, which only x+
/// shows, in its second number.
class Classes : public FakeSource {
 public:
  Shape shape() const override {
    return {.observation = {2},
            .columns = {{"shared", Column::Kind::kClass, 3}, {"changed", Column::Kind::kBinary}},
            .pair_classes = true};
  }
  void make_pair(int64_t, random::Sequence draws, const data::PairPlace& out) const override {
    const auto shared = static_cast<float>(draws.below(3));
    const auto changed = static_cast<float>(draws.below(2));
    out.x[0] = out.x_plus[0] = shared;
    out.x[1] = static_cast<float>(draws.normal());
    out.x_plus[1] = changed;
    out.classes_plus[0] = shared;
    out.classes_plus[1] = changed;
  }
};

/// Its embedding is x, with the first number one-hot; r is what the test says.
class Infers : public FakeMethod, public model::InfersR {
 public:
  explicit Infers(std::function<Tensor(const model::Views&)> r) : r_(std::move(r)) {}
  Tensor embed(const Tensor& x) override {
    const Tensor classes = torch::one_hot(x.select(1, 0).to(torch::kInt64), 3).to(torch::kFloat32);
    return torch::cat({classes, x.narrow(1, 1, 1)}, 1);
  }
  int64_t r_width() const override { return 1; }
  model::Usage usage(const model::Views& views, const random::Stream&) override {
    model::Usage usage;
    usage.draws.push_back({r_(views), {}, {}});
    return usage;
  }

 private:
  std::function<Tensor(const model::Views&)> r_;
};

const Partner suite({.pairs = 2000, .max_iterations = 100});

TEST(Partner, TellsWhatXShowsFromXAndWhatChangedFromR) {
  Infers method([](const model::Views& views) { return views.x_plus.narrow(1, 1, 1) * 4 - 2; });
  const auto metrics = results_of(suite, method, Classes()).metrics;
  EXPECT_EQ(metrics.at("partner_from_x_shared"), 1);
  EXPECT_NEAR(metrics.at("partner_from_r_shared"), 1.0 / 3, 0.06);
  EXPECT_NEAR(metrics.at("partner_chance_shared"), 1.0 / 3, 0.06);
  EXPECT_NEAR(metrics.at("partner_from_x_changed"), 0.5, 0.06);
  EXPECT_EQ(metrics.at("partner_from_r_changed"), 1);
  EXPECT_EQ(metrics.at("partner_from_x_and_r_changed"), 1);
}

TEST(Partner, FindsNothingInAnROfNoise) {
  Infers method([](const model::Views& views) { return views.x.narrow(1, 1, 1); });
  const auto metrics = results_of(suite, method, Classes()).metrics;
  EXPECT_NEAR(metrics.at("partner_from_x_and_r_changed"), 0.5, 0.06);
  EXPECT_EQ(metrics.at("partner_from_x_and_r_shared"), 1);
}

TEST(Partner, SaysWhyItDoesNotApply) {
  Infers method([](const model::Views& views) { return views.x; });
  const FakeSource source;
  EXPECT_EQ(suite.obstacle({.method = method, .source = source}),
            "pairs do not come with the classes of x+");
  FakeMethod without;
  const Classes classes;
  EXPECT_NE(suite.obstacle({.method = without, .source = classes}), "");
  EXPECT_EQ(suite.obstacle({.method = method, .source = classes}), "");
}

}  // namespace
}  // namespace adassl::evaluation
