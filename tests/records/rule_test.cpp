#include "adassl/records/rule.h"

#include <gtest/gtest.h>

namespace adassl::records {
namespace {

constexpr const char* kOwn = "own";

/// A record whose metric "m" tells which one it is.
Record record(std::string_view kind, std::optional<int64_t> step, double number) {
  Record out{.kind = std::string(kind)};
  out.step = step;
  out.config_hash = kOwn;
  out.metrics["m"] = number;
  return out;
}

Record at_the_end(int64_t step, double number) {
  Record out = record(kEvaluation, step, number);
  out.final = true;
  return out;
}

Record with_hash(Record out, const std::string& hash) {
  out.config_hash = hash;
  return out;
}

/// "evaluation 4: 1" for each.
std::vector<std::string> names(const Records& records) {
  std::vector<std::string> out;
  for (const Record& each : records) {
    const std::string step = each.step ? " " + std::to_string(*each.step) : "";
    out.push_back(each.kind + step + ": " + std::to_string(static_cast<int>(each.metrics.at("m"))));
  }
  return out;
}

using Names = std::vector<std::string>;

TEST(Counting, TakesRecordsOfTheRunsOwnConfigurationOnly) {
  EXPECT_EQ(names(counting({at_the_end(4, 1), with_hash(at_the_end(4, 2), "other"),
                            with_hash(record(kMilestone, 2, 3), "other")},
                           kOwn)),
            (Names{"evaluation 4: 1"}));
}

TEST(Counting, TakesRecordsThatTellNoConfigurationForTheRunsOwn) {
  EXPECT_EQ(names(counting({with_hash(at_the_end(4, 1), "")}, kOwn)), (Names{"evaluation 4: 1"}));
}

TEST(Counting, TakesNoEvaluationBeforeTheEnd) {
  EXPECT_EQ(names(counting({record(kEvaluation, 2, 1), at_the_end(4, 2), record(kEvaluation, 2, 3)},
                           kOwn)),
            (Names{"evaluation 4: 2"}));
  EXPECT_TRUE(counting({record(kEvaluation, 2, 1)}, kOwn).empty());
}

TEST(Counting, TakesPicturesOfTheLastStepOnly) {
  EXPECT_EQ(
      names(counting({record(kDensity, 2, 1), record(kDensity, 4, 2), at_the_end(4, 3)}, kOwn)),
      (Names{"density 4: 2", "evaluation 4: 3"}));
  EXPECT_TRUE(counting({record(kDensity, 2, 1)}, kOwn).empty()) << "the last step is not known yet";
}

TEST(Counting, TakesTheLatestOfEquals) {
  EXPECT_EQ(names(counting({at_the_end(4, 1), record(kDensity, 4, 2), at_the_end(4, 3),
                            record(kDensity, 4, 4)},
                           kOwn)),
            (Names{"evaluation 4: 3", "density 4: 4"}));
}

TEST(Counting, TakesCurvesAtAnyTime) {
  EXPECT_EQ(names(counting({with_hash(record(kCurve, {}, 1), "")}, kOwn)), (Names{"curve: 1"}));
}

TEST(Counting, TakesOneMilestoneOfEachStep) {
  EXPECT_EQ(names(counting({record(kMilestone, 1, 1), record(kMilestone, 2, 2),
                            record(kMilestone, 1, 3), at_the_end(4, 4)},
                           kOwn)),
            (Names{"milestone 1: 3", "milestone 2: 2", "evaluation 4: 4"}));
}

TEST(Counting, TakesTheNeighboursOfEachStep) {
  EXPECT_EQ(names(counting({record(kNeighbours, 0, 1), record(kNeighbours, 2, 2),
                            record(kNeighbours, 0, 3), record(kHealth, 2, 4)},
                           kOwn)),
            (Names{"neighbours 0: 3", "neighbours 2: 2"}));
}

TEST(Counting, LetsTheNewestMilestoneStandInUntilThereIsAnEvaluation) {
  const Records cut = {record(kMilestone, 1, 1), record(kMilestone, 2, 2),
                       record(kEvaluation, 2, 3)};
  const Records counted = counting(cut, kOwn);
  EXPECT_EQ(names(counted), (Names{"milestone 1: 1", "milestone 2: 2", "evaluation 2: 2"}));
  EXPECT_FALSE(is_result(counted.back(), kOwn)) << "the run is not finished";
  Records ended = cut;
  ended.push_back(at_the_end(4, 4));
  EXPECT_EQ(names(counting(ended, kOwn)),
            (Names{"milestone 1: 1", "milestone 2: 2", "evaluation 4: 4"}));
}

TEST(Counting, TakesTheLatestOfTheUntrainedModel) {
  EXPECT_EQ(names(counting({record(kUntrained, 0, 1), at_the_end(4, 2), record(kUntrained, 0, 3),
                            with_hash(record(kUntrained, 0, 4), "other")},
                           kOwn)),
            (Names{"untrained 0: 3", "evaluation 4: 2"}));
}

TEST(Counting, ChangesNothingTheSecondTime) {
  const Records once = counting({record(kMilestone, 1, 1), record(kUntrained, 0, 4),
                                 record(kDensity, 4, 2), at_the_end(4, 3)},
                                kOwn);
  EXPECT_EQ(counting(once, kOwn), once);
}

TEST(Result, IsTheEvaluationOfTheLastStepByTheOwnConfiguration) {
  EXPECT_TRUE(is_result(at_the_end(4, 1), kOwn));
  EXPECT_FALSE(is_result(record(kEvaluation, 4, 1), kOwn));
  EXPECT_FALSE(is_result(with_hash(at_the_end(4, 1), "other"), kOwn));
  Record milestone = at_the_end(4, 1);
  milestone.kind = kMilestone;
  EXPECT_FALSE(is_result(milestone, kOwn));
}

Record of_trial(const std::string& row, int64_t seed, int64_t step, double number) {
  Record out = record(kEvaluation, step, number);
  out.row = row;
  out.seed = seed;
  return out;
}

TEST(LatestOf, IsTheRecordOfTheLargestStepOfEachTrialAndTheLaterOfEquals) {
  const Records records = {of_trial("b", 2, 5, 1), of_trial("a", 1, 5, 2), of_trial("b", 1, 5, 3),
                           of_trial("b", 1, 5, 4), of_trial("b", 2, 3, 5)};
  Records found;
  for (const Record* each : latest_of(records, kEvaluation)) found.push_back(*each);
  EXPECT_EQ(names(found), (Names{"evaluation 5: 4", "evaluation 5: 1", "evaluation 5: 2"}));
  EXPECT_TRUE(latest_of(records, kCurve).empty());
}

TEST(LatestOf, KeepsACurveOfEachVariant) {
  Records records;
  for (const char* variant : {"flat", "round", "round"}) {
    Record curve{.kind = std::string(kCurve)};
    curve.rest["points"] = {{"step", {1, 2}}, {std::string(variant) + ".loss", {3, 4}}};
    records.push_back(curve);
  }
  EXPECT_EQ(latest_of(records, kCurve).size(), 2U);
}

TEST(LatestOf, KeepsTheHealthOfEachVariant) {
  Records records;
  for (const char* variant : {"flat", "round", "round"}) {
    Record health{.kind = std::string(kHealth)};
    health.rest["variant"] = variant;
    records.push_back(health);
  }
  EXPECT_EQ(latest_of(records, kHealth).size(), 2U);
}

}  // namespace
}  // namespace adassl::records
