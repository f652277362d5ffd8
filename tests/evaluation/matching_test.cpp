#include "adassl/evaluation/matching.h"

#include <gtest/gtest.h>

#include "adassl/evaluation/geometry.h"
#include "adassl/evaluation/utilisation.h"
#include "adassl/study/evaluate.h"
#include "contracts/parts.h"
#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

Tensor rows(const std::vector<std::vector<double>>& of) {
  return nn::view(testing::array_of(of)).clone();
}

TEST(ShareFound, CountsRowsWhoseOwnTargetIsNearest) {
  const Tensor targets = rows({{0, 0}, {10, 0}, {0, 10}});
  EXPECT_EQ(share_found(targets, targets), 1);
  EXPECT_EQ(share_found(rows({{1, 1}, {9, 0}, {8, 0}}), targets), 2.0 / 3);
  EXPECT_EQ(share_found(targets.roll(1, 0), targets), 0);
}

TEST(ShareFound, GuessesAmongEqualTargets) {
  const Tensor targets = rows({{1, 0}, {1, 0}, {0, 1}, {0, 1}});
  EXPECT_NEAR(share_found(targets, targets), 0.5, 1e-12);
  const Tensor collapsed = torch::ones({50, 3});
  EXPECT_NEAR(share_found(collapsed, collapsed), 1.0 / 50, 1e-12);
}

TEST(ShareNearer, ComparesEachRowWithEveryOther) {
  const Tensor targets = rows({{0}, {10}, {20}});
  EXPECT_EQ(share_nearer(targets, targets), 1);
  EXPECT_NEAR(share_nearer(rows({{4}, {12}, {14}}), targets), 5.0 / 6, 1e-12)
      << "14 is nearer to 10";
  const Tensor collapsed = torch::ones({50, 3});
  EXPECT_NEAR(share_nearer(collapsed, collapsed), 0.5, 1e-12);
  const Tensor classes = rows({{0}, {0}, {0}, {10}, {10}, {10}});
  EXPECT_NEAR(share_nearer(classes, classes), 0.8, 1e-12) << "two of five others are as near";
}

/// x is 0, 1, 2, ...; r is added to it, and x+ lies 100 further.
class Adding final : public testing::FakeMethod {
 public:
  Tensor predict(const Tensor& e, const Tensor& r) override { return r.size(1) > 0 ? e + r : e; }
  int64_t r_width() const override { return width; }
  int64_t width = 1;
};

Batch steps_of(double distance) {
  Batch out;
  out.x = testing::array_of({{0}, {1}, {2}, {3}});
  out.x_plus = testing::array_of({{distance}, {distance + 1}, {distance + 2}, {distance + 3}});
  return out;
}

TEST(Matching, SaysWhatIsFoundFromXAndFromR) {
  Adding method;
  Results results;
  add_matching(method, steps_of(100), torch::full({4, 1}, 100.0), {1, "noise"}, results);
  EXPECT_EQ(results.metrics.at("found_from_x"), 0.25) << "only the last one, by imagining 0";
  EXPECT_EQ(results.metrics.at("nearer_from_x"), 0.5) << "x 0 to 3 predict 0 to 3 for 100 to 103";
  EXPECT_EQ(results.metrics.at("found_with_r"), 1);
  EXPECT_EQ(results.metrics.at("found_from_r"), 0) << "the other x leads to another x+";
  method.width = 0;
  Results without;
  add_matching(method, steps_of(0), torch::zeros({4, 0}), {1, "noise"}, without);
  EXPECT_EQ(without.metrics,
            (std::map<std::string, double>{{"found_from_x", 1}, {"nearer_from_x", 1}}));
}

TEST(ShareOfIdentical, ComparesNumberByNumber) {
  EXPECT_EQ(
      share_of_identical(testing::array_of({{1, 2}, {3, 4}}), testing::array_of({{1, 2}, {3, 5}})),
      0.5);
}

TEST(Watching, NeedsNoLabelsAndTakesNoMetricOfTheTraining) {
  for (const char* method : {"adassl-v", "adassl-s", "infonce", "adassl-gt", "byol"}) {
    const auto experiment = study::build_experiment(
        testing::small_config({std::string("method=") + method, "train.steps=2"}));
    EXPECT_EQ(experiment.evaluate.watch,
              (std::vector<std::string>{"regression", "utilisation", "geometry"}));
    std::map<std::string, double> watched;
    for (const auto& [metric, value] : study::probe(experiment)) {
      EXPECT_TRUE(std::isfinite(value)) << method << " " << metric.name;
      EXPECT_FALSE(metric.label.empty()) << metric.name;
      watched[metric.name] = value;
    }
    for (const char* name : {"rankme", "rankme_share", "alignment", "uniformity", "watched_pairs",
                             "identical_pairs", "found_from_x", "nearer_from_x"}) {
      EXPECT_TRUE(watched.contains(name)) << method << " " << name;
    }
    EXPECT_EQ(watched.at("watched_pairs"), 256);
    EXPECT_EQ(watched.contains("found_with_r"),
              std::string(method) != "infonce" && std::string(method) != "byol")
        << method;
    const auto again = study::probe(experiment);
    for (const auto& [metric, value] : again) EXPECT_EQ(value, watched.at(metric.name));
    const Batch batch = experiment.source->pairs({1, "batch"}, 64);
    const auto loss = experiment.method->forward(model::views(batch), 1, {1, "noise"});
    for (const auto& term : loss.terms) EXPECT_FALSE(watched.contains(term.first.name)) << method;
  }
}

TEST(Watching, TakesTheEvaluationsOfTheConfiguration) {
  const auto watch_of = [](const std::string& watch) {
    return study::build_experiment(testing::small_config({"evaluate.watch=" + watch}))
        .evaluate.watch;
  };
  EXPECT_EQ(watch_of("[]"), std::vector<std::string>{});
  EXPECT_EQ(watch_of("[\"geometry\"]"), std::vector<std::string>{"geometry"});
  EXPECT_EQ(watch_of("regression"), std::vector<std::string>{"regression"}) << "as in older runs";
  EXPECT_THROW(watch_of("[\"density\"]"), Error);
}

}  // namespace
}  // namespace adassl::evaluation
