#include "adassl/training/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "support/error_message.h"
#include "training/small_run.h"

namespace adassl::training {
namespace {

using testing::SmallRun;

class Recorder final : public Observer {
 public:
  explicit Recorder(int64_t stop_at = -1) : stop_at_(stop_at) {}
  Flow on_step(const StepReport& report) override {
    losses.push_back(report.terms.front().second);
    return report.step == stop_at_ ? Flow::kStop : Flow::kContinue;
  }
  void on_start(int64_t step) override { started_at = step; }
  void on_end(int64_t step) override { ended_at = step; }
  std::vector<double> losses;
  int64_t started_at = -1;
  int64_t ended_at = -1;

 private:
  int64_t stop_at_;
};

TEST(Loop, TakesAllStepsAndTellsObserversTheEnd) {
  SmallRun run;
  const auto recorder = std::make_shared<Recorder>();
  run.train({recorder});
  EXPECT_EQ(recorder->losses.size(), 12U);
  EXPECT_EQ(recorder->started_at, 0);
  EXPECT_EQ(recorder->ended_at, 12);
}

TEST(Loop, StopsWhenAnObserverSaysSo) {
  SmallRun run;
  const auto recorder = std::make_shared<Recorder>(5);
  run.train({recorder});
  EXPECT_EQ(run.state.step, 5);
  EXPECT_EQ(recorder->ended_at, 5);
  const auto further = std::make_shared<Recorder>();
  run.train({further});
  EXPECT_EQ(further->started_at, 5);
  run.train({recorder});
  EXPECT_EQ(recorder->started_at, 0) << "there is nothing left to start";
}

TEST(Loop, RepeatsItselfToTheBit) {
  SmallRun a;
  SmallRun b;
  const auto first = std::make_shared<Recorder>();
  const auto second = std::make_shared<Recorder>();
  a.train({first});
  b.train({second});
  EXPECT_EQ(first->losses, second->losses);
  EXPECT_TRUE(torch::equal(a.state.parameters.values, b.state.parameters.values));
}

TEST(Loop, IsNotChangedByAProbe) {
  class Probing final : public Observer {
   public:
    explicit Probing(SmallRun& run) : run_(run) {}
    Flow on_step(const StepReport&) override {
      const evaluation::Frozen frozen(*run_.experiment.method);
      evaluation::Results results;
      const evaluation::Subject subject{*run_.experiment.method, *run_.experiment.source, 1,
                                        "probe"};
      for (const auto& entry : evaluation::evaluations()) {
        Config config = Config::from_text("regression.train_samples = 64", "probe");
        config.override_with("regression.test_samples=64");
        config.override_with("density.samples=64");
        config.override_with("utilisation.batch=16");
        config.override_with("geometry.pairs=16");
        ask(*entry.make(config, std::string(entry.name)), subject, results);
      }
      return Flow::kContinue;
    }

   private:
    SmallRun& run_;
  };
  SmallRun plain;
  SmallRun probed;
  plain.train();
  probed.train({std::make_shared<Probing>(probed)});
  EXPECT_TRUE(torch::equal(plain.state.parameters.values, probed.state.parameters.values));
  EXPECT_TRUE(
      torch::equal(plain.state.optimizer.second_moment, probed.state.optimizer.second_moment));
}

TEST(Loop, LearnsSomething) {
  SmallRun run("infonce", 150, {"objective.tau=1.0", "optimizer.learning_rate=0.003"});
  const auto recorder = std::make_shared<Recorder>();
  run.train({recorder});
  EXPECT_LT(recorder->losses.back(), recorder->losses.front() - 0.1);
}

TEST(Loop, NamesTheTermAndTheStepWhenALossIsNotFinite) {
  SmallRun run("infonce", 100, {"optimizer.learning_rate=1e30", "optimizer.clip=0"});
  std::string message;
  try {
    run.train();
  } catch (const Failure& failure) {
    message = failure.what();
  }
  EXPECT_THAT(message, ::testing::HasSubstr("the loss is not finite: "));
  EXPECT_THAT(message, ::testing::HasSubstr("loss = "));
  EXPECT_THAT(message, ::testing::StartsWith("[step " + std::to_string(run.state.step + 1) + "]"));
}

TEST(Loop, SaysBeforehandThatABatchDoesNotFitIntoMemory) {
  const SmallRun run("infonce", 1, {"train.batch=10000000", "compute.kernels=reference"});
  const std::string message = testing::error_of(
      [&] { require_memory(run.experiment.loop, *run.experiment.source, *run.experiment.method); });
  EXPECT_THAT(message,
              ::testing::HasSubstr("[train.batch] expected a batch that fits into memory"));
  EXPECT_THAT(message, ::testing::HasSubstr("try train.batch="));
  const SmallRun small;
  EXPECT_NO_THROW(
      require_memory(small.experiment.loop, *small.experiment.source, *small.experiment.method));
}

}  // namespace
}  // namespace adassl::training
