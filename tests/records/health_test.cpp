#include "adassl/records/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace adassl::records {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Signs untrained() {
  return {.rankme = 9,
          .rankme_share = 9.0 / 128,
          .alignment = 0.01,
          .uniformity = -0.02,
          .watched_pairs = 256,
          .identical_pairs = 0,
          .kl = 3,
          .active_dims = 8,
          .explained_share = 0,
          .found_from_x = 0.04,
          .found_with_r = 0.05,
          .found_from_r = 0.01};
}

Signs trained() {
  return {.rankme = 64,
          .rankme_share = 0.5,
          .alignment = 0.2,
          .uniformity = -3,
          .watched_pairs = 256,
          .identical_pairs = 0,
          .kl = 2.5,
          .active_dims = 4,
          .explained_share = 0.4,
          .found_from_x = 0.6,
          .found_with_r = 0.95,
          .found_from_r = 0.1};
}

/// The same without an r.
Signs without_r(Signs signs) {
  for (double* value : {&signs.kl, &signs.active_dims, &signs.explained_share, &signs.found_with_r,
                        &signs.found_from_r}) {
    *value = Signs::kNone;
  }
  return signs;
}

std::vector<std::string> names(const Signs& before, const Signs& now) {
  std::vector<std::string> out;
  for (const Alarm& alarm : alarms_of(before, now)) out.push_back(alarm.name);
  return out;
}

using Names = std::vector<std::string>;

TEST(Alarms, AreSilentWhenAllIsWell) {
  EXPECT_THAT(alarms_of(untrained(), trained()), IsEmpty());
  EXPECT_THAT(alarms_of(without_r(untrained()), without_r(trained())), IsEmpty());
  EXPECT_THAT(alarms_of({}, {}), IsEmpty()) << "what was not recorded is no reason for an alarm";
}

TEST(Alarms, AreSilentWhenAnEasyTaskWasSolvedFromTheBeginning) {
  Signs easy = trained();
  easy.found_with_r = 1;
  EXPECT_THAT(alarms_of(easy, easy), IsEmpty());
}

TEST(Alarms, NameACollapse) {
  Signs now = without_r(trained());
  now.uniformity = -0.001;
  now.alignment = 0.0005;
  now.rankme = 1.01;
  now.found_from_x = 1.0 / 256;
  EXPECT_EQ(names(without_r(untrained()), now), Names{"collapse"});
  now.found_from_x = 0.5;  // close together, but still in order
  EXPECT_EQ(names(without_r(untrained()), now), Names{"rank"});
}

TEST(Alarms, NameLostDimensions) {
  Signs now = trained();
  now.rankme = 2.9;
  now.rankme_share = 2.9 / 128;
  const auto alarms = alarms_of(untrained(), now);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].name, "rank");
  EXPECT_THAT(alarms[0].text, HasSubstr("RankMe is 2.9 of 128, and was 9.0 before training"));
  Signs flat = untrained();
  flat.rankme = 1.2;
  now.rankme = 1.3;
  EXPECT_EQ(names(flat, now), Names{"rank"}) << "a line is a line";
  now.rankme = 2;
  EXPECT_EQ(names(flat, now), Names{});
}

TEST(Alarms, NameAnIdleR) {
  Signs now = trained();
  now.kl = 0.001;
  now.active_dims = 0;
  now.explained_share = 0.0001;
  EXPECT_EQ(names(untrained(), now), Names{"idle r"});
  now = trained();
  now.explained_share = -0.2;
  ASSERT_EQ(names(untrained(), now), Names{"idle r"}) << "it costs something but explains nothing";
  EXPECT_THAT(alarms_of(untrained(), now)[0].text, HasSubstr("the loss is no smaller with it"));
  now = trained();
  now.kl = Signs::kNone;  // gates
  now.active_dims = 0;
  EXPECT_EQ(names(untrained(), now), Names{"idle r"});
}

TEST(Alarms, NameAnRThatCarriesEverything) {
  Signs now = trained();
  now.found_from_x = 0.004;
  now.found_with_r = 0.99;
  EXPECT_EQ(names(untrained(), now), Names{"r alone"}) << "x alone says nothing";
  now.found_with_r = 0.5;
  EXPECT_EQ(names(untrained(), now), Names{}) << "2.5 nats cannot name one of 256 pairs";
  now.kl = 6;
  EXPECT_EQ(names(untrained(), now), Names{"r alone"});
  now = trained();
  now.kl = 20;
  now.found_with_r = 0.5;
  now.found_from_r = 0.46;
  const auto alarms = alarms_of(untrained(), now);
  ASSERT_EQ(alarms.size(), 1U) << "another x does as well";
  EXPECT_THAT(alarms[0].text, HasSubstr("It costs 20.0 nats; 5.5 suffice"));
}

TEST(Alarms, NameIdenticalPairs) {
  Signs now = trained();
  now.identical_pairs = 0.75;
  EXPECT_EQ(names(untrained(), now), Names{"identical pairs"});
}

TEST(Alarms, NoticeThatNothingHappened) {
  EXPECT_EQ(names(without_r(untrained()), without_r(untrained())), Names{"no progress"});
  Signs now = without_r(trained());
  now.found_from_x = 0.06;  // within two standard errors of 0.04
  EXPECT_EQ(names(without_r(untrained()), now), Names{"no progress"});
  now.found_from_x = 0.07;
  EXPECT_EQ(names(without_r(untrained()), now), Names{});
}

TEST(Alarms, NoticeProgressWhereManySamplesSuitX) {
  Signs before = without_r(untrained());  // pairs of one class: no x+ can be told from its like
  before.found_from_x = 0.008;
  before.nearer_from_x = 0.60;
  Signs now = without_r(trained());
  now.found_from_x = 0.004;
  now.nearer_from_x = 0.65;
  ASSERT_EQ(names(before, now), Names{"no progress"}) << "within two standard errors";
  EXPECT_THAT(alarms_of(before, now)[0].text,
              HasSubstr("in 65% of cases (a guess: 50%), and was in 60%"));
  now.nearer_from_x = 0.66;
  EXPECT_EQ(names(before, now), Names{});
  EXPECT_THAT(without_alarm(before, now), HasSubstr("nearer than another in 66% (before 60%)"));
}

/// Of a method that does not predict x+.
Signs without_predictions(Signs signs) {
  signs = without_r(signs);
  signs.found_from_x = Signs::kNone;
  return signs;
}

TEST(WithoutAlarm, ItIsOneSentenceWithNumbers) {
  EXPECT_EQ(without_alarm(untrained(), trained()),
            "It is learning: among 256 watched pairs, x+ is found in 60% of cases from x alone and "
            "in 95% with r (before training 5.0%); embeddings use 64.0 of 128 dimensions by RankMe "
            "(before 9.0); r costs 2.50 nats in 4 dimensions and explains 40% of the loss.");
}

TEST(WithoutAlarm, LearningIsNotClaimedWhereNothingShowsIt) {
  EXPECT_EQ(without_alarm(without_predictions(untrained()), without_predictions(trained())),
            "No alarm: embeddings use 64.0 of 128 dimensions by RankMe (before 9.0); how often x+ "
            "is found was not measured, so that learning is not shown.");
}

TEST(Alarms, OfACollapseSayOnlyWhatWasMeasured) {
  Signs now = without_r(trained());
  now.uniformity = -0.001;
  now.found_from_x = 1.0 / 256;
  EXPECT_THAT(alarms_of(without_r(untrained()), now).at(0).text, HasSubstr("x+ is found"));
  const auto alarms = alarms_of(without_predictions(untrained()), without_predictions(now));
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].name, "collapse");
  EXPECT_THAT(alarms[0].text, Not(HasSubstr("x+ is found")));
}

Record curve() {
  Record out{.kind = std::string(kCurve)};
  out.rest = nlohmann::json::parse(R"({"points": {"step": [0, 10, 20], "rankme": [2, 5, 8],
    "rankme_share": [0.2, 0.5, 0.8], "watched_pairs": [100, 100, 100],
    "found_from_x": [0.01, 0.2, 0.5], "loss": [null, 3, 2]}})");
  out.descriptions["watched_pairs"] = {.name = "watched_pairs", .about = "held-out pairs"};
  return out;
}

TEST(Health, IsARecordOfTheLastStep) {
  const auto health = health_of(curve());
  ASSERT_TRUE(health);
  EXPECT_EQ(health->kind, kHealth);
  EXPECT_EQ(health->step, 20);
  EXPECT_EQ(health->rest.at("well"), true);
  EXPECT_THAT(health->rest.at("alarms"), IsEmpty());
  EXPECT_EQ(health->rest.at("watched"), "100 held-out pairs");
  EXPECT_THAT(health->rest.at("says").at(0).get<std::string>(), HasSubstr("8.0 of 10 dimensions"));
}

TEST(Health, WithoutPredictionsIsNoAlarmAndNoClaim) {
  Record of_vae = curve();
  of_vae.rest["points"].erase("found_from_x");
  const auto health = health_of(of_vae);
  ASSERT_TRUE(health);
  EXPECT_EQ(health->rest.at("well"), true);
  EXPECT_THAT(health->rest.at("says").at(0).get<std::string>(), StartsWith("No alarm: "));
}

TEST(Health, NeedsTheNumbersBeforeTraining) {
  Record late = curve();
  late.rest["points"]["step"] = {1, 10, 20};
  EXPECT_FALSE(health_of(late));
  for (const char* broken : {R"({})", R"({"points": 3})", R"({"points": {"step": "x"}})",
                             R"({"points": {"step": [0, 1], "rankme": [1]}})",
                             R"({"points": {"step": [0, "a"], "rankme": [1, 2]}})"}) {
    Record record{.kind = std::string(kCurve)};
    record.rest = nlohmann::json::parse(broken);
    EXPECT_FALSE(health_of(record)) << broken;
  }
}

}  // namespace
}  // namespace adassl::records
