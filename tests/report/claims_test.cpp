#include "adassl/report/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/report/claims_list.h"
#include "adassl/report/milestones.h"
#include "adassl/report/numbers.h"
#include "adassl/report/page.h"
#include "report/lines.h"

namespace adassl::report {
namespace {

Json evaluation(const std::string& row, int seed, double value) {
  return {{"kind", "evaluation"},
          {"row", row},
          {"seed", seed},
          {"step", 1},
          {"metrics", {{"r2_ood", value}}}};
}

Json study() {
  Json out = Json::parse(R"json({"kind": "study", "name": "s", "title": "Who wins?",
    "columns": [{"metric": "r2_ood", "label": "OOD"}],
    "claims": [{"says": "more is kept", "metric": "r2_ood", "above": ["v", "s"], "below": ["i"]}],
    "rows": [{"name": "i", "label": "InfoNCE"}, {"name": "v", "label": "AdaSSL-V"},
             {"name": "s", "label": "AdaSSL-S"}]})json");
  out["describe"] = descriptions();
  return out;
}

Lines trial(int seed, double i, double v, double s) {
  return {evaluation("i", seed, i), evaluation("v", seed, v), evaluation("s", seed, s)};
}

Finding only_finding(const Lines& records) {
  const Table table = make_table(parse_all(records));
  EXPECT_EQ(table.findings.size(), 1U);
  return table.findings.at(0);
}

Lines with(Lines records, const Lines& more) {
  records.insert(records.end(), more.begin(), more.end());
  return records;
}

TEST(Claims, HoldWhereEachRowAboveExceedsEachRowBelow) {
  const Finding one = only_finding(with({study()}, trial(1, 0.2, 0.5, 0.25)));
  EXPECT_EQ(one.verdict, "yes");
  EXPECT_EQ(one.text,
            "More is kept (R² on N(0, 5I), OOD: AdaSSL-V 0.500, AdaSSL-S 0.250 against InfoNCE "
            "0.200).");
  EXPECT_EQ(only_finding(with({study()}, trial(1, 0.25, 0.5, 0.25))).verdict, "no");
  Json shorter = study();
  shorter["steps"] = 10;
  shorter["paper_steps"] = 20;
  EXPECT_EQ(only_finding(with({shorter}, trial(1, 0.25, 0.5, 0.25))).verdict, "not yet");
  EXPECT_EQ(only_finding(with({shorter}, trial(1, 0.2, 0.5, 0.25))).verdict, "yes");
}

TEST(Claims, AreToldSeedBySeed) {
  const Lines two = with(trial(1, 0.2, 0.5, 0.3), trial(2, 0.4, 0.5, 0.3));
  const Finding part = only_finding(with({study()}, two));
  EXPECT_EQ(part.verdict, "mixed over seeds");
  EXPECT_EQ(part.text,
            "The paper finds that more is kept. Here it does not hold with seed 2, it holds with "
            "seed 1 (R² on N(0, 5I), OOD: AdaSSL-V 0.500, AdaSSL-S 0.300 against InfoNCE 0.300).");
  const Lines both = with(trial(1, 0.2, 0.5, 0.3), trial(2, 0.2, 0.5, 0.3));
  EXPECT_THAT(only_finding(with({study()}, both)).text,
              testing::StartsWith("More is kept, with each of 2 seeds (R²"));
}

TEST(ClaimsList, HasEachClaimOnceWithEveryFileThatAnswersIt) {
  Json other = study();
  other["title"] = "A | bar";
  other["reference"] = "Table 2";
  const std::vector<Source> sources = {
      {"results/a.jsonl", parse_all(with({study()}, trial(1, 0.2, 0.5, 0.3)))},
      {"results/b.jsonl",
       parse_all(with(with({other}, trial(1, 0.2, 0.5, 0.3)), trial(2, 0.4, 0.5, 0.3)))},
      {"results/c.jsonl", parse_all(with({study()}, trial(1, 0.6, 0.5, 0.3)))},
      {"results/open.jsonl", parse_all({study()})},
      {"results/none.jsonl", parse_all(trial(1, 0.6, 0.5, 0.3))}};
  EXPECT_EQ(claims_markdown(sources),
            "| The paper's claim | holds here | shown by |\n|:--|:--|:--|\n"
            "| *Who wins?* | | |\n"
            "| More is kept | yes (1 seed) | results/a.jsonl |\n"
            "|  | no (1 seed) | results/c.jsonl |\n"
            "| *A \\| bar (Table 2)* | | |\n"
            "| More is kept | mixed over seeds (not with seed 2) | results/b.jsonl |\n");
}

TEST(ClaimsList, KeepsAClaimThatNoFileAnswers) {
  EXPECT_EQ(claims_markdown({{"results/open.jsonl", parse_all({study()})}}),
            "| The paper's claim | holds here | shown by |\n|:--|:--|:--|\n"
            "| *Who wins?* | | |\n"
            "| More is kept | open | results/open.jsonl |\n");
  EXPECT_EQ(claims_markdown({{"results/none.jsonl", parse_all(trial(1, 0.6, 0.5, 0.3))}}), "");
}

TEST(Claims, WaitForASeedThatHasAllRows) {
  const Lines apart = {study(), evaluation("i", 1, 0.1), evaluation("v", 2, 0.5),
                       evaluation("s", 2, 0.5)};
  EXPECT_EQ(only_finding(apart).verdict, "open");
  EXPECT_EQ(only_finding(with({study()}, trial(1, NAN, 0.5, 0.5))).verdict, "open");
}

/// The record as that of a run that was cut short, or of a step on its way.
Json at_step(Json record, int step, const char* kind = "evaluation") {
  record["kind"] = kind;
  record["step"] = step;
  if (std::string_view(kind) == "evaluation") record["final"] = false;
  return record;
}

TEST(Claims, CompareUnfinishedRowsAtTheLastStepThatAllHaveReached) {
  Lines records = {study(),
                   at_step(evaluation("i", 1, 0.2), 1000, "milestone"),
                   at_step(evaluation("i", 1, 0.6), 2000, "milestone"),
                   at_step(evaluation("i", 1, 0.6), 2000),
                   at_step(evaluation("v", 1, 0.4), 1000),
                   at_step(evaluation("v", 1, 0.4), 1000, "milestone"),
                   at_step(evaluation("s", 1, 0.3), 1000, "milestone"),
                   evaluation("s", 1, 0.9)};
  records.back()["step"] = 4000;
  const Finding one = only_finding(records);
  EXPECT_EQ(one.verdict, "yes");
  EXPECT_EQ(one.text,
            "More is kept (R² on N(0, 5I), OOD, at step 1,000: AdaSSL-V 0.400, AdaSSL-S 0.300 "
            "against InfoNCE 0.200).");
  records[1]["metrics"]["r2_ood"] = 0.5;
  EXPECT_EQ(only_finding(records).verdict, "not yet");
  records.erase(records.begin() + 1);
  EXPECT_EQ(only_finding(records).verdict, "open") << "no step that all rows have";
}

/// A study with these claims, each written "s > i", and what the sentence that its records lead to
/// says of all claims: the part behind the first claim with its numbers, where that holds.
std::string sentence(const std::vector<std::string>& claims, const Lines& records, int steps = 1) {
  Json declared = study();
  declared["steps"] = steps;
  declared["paper_steps"] = 10;
  declared["claims"] = Json::array();
  for (const std::string& claim : claims) {
    declared["claims"].push_back({{"says", claim},
                                  {"metric", "r2_ood"},
                                  {"above", {claim.substr(0, 1)}},
                                  {"below", {claim.substr(4)}}});
  }
  std::string out = make_table(parse_all(with({declared}, records))).headline;
  if (const size_t numbers = out.find("); "); numbers != std::string::npos) {
    out = capitalised(out.substr(numbers + 3));
  }
  return out;
}

TEST(Headline, BeginsWithTheFirstClaimAndItsNumbersWhereThatHolds) {
  Json declared = study();
  declared["claims"].push_back(
      {{"says", "less is lost"}, {"metric", "r2_ood"}, {"above", {"s"}}, {"below", {"v"}}});
  const auto of = [&](const Lines& records) {
    return make_table(parse_all(with({declared}, records))).headline;
  };
  EXPECT_EQ(of(trial(1, 0.2, 0.5, 0.25)),
            "More is kept (R² on N(0, 5I), OOD: AdaSSL-V 0.500, AdaSSL-S 0.250 against InfoNCE "
            "0.200); one of the paper's two claims holds in this trial; it does not hold on seed 1 "
            "that less is lost.");
  EXPECT_EQ(
      of(trial(1, 0.3, 0.2, 0.25)),
      "One of the paper's two claims holds in this trial; it does not hold on seed 1 that more "
      "is kept.");
}

TEST(Headline, CountsTheClaimsThatHoldAndNamesTheOthers) {
  const Lines one = trial(1, 0.2, 0.5, 0.4);
  EXPECT_EQ(sentence({"v > s", "s > i", "i > v"}, one, 10),
            "Two of the paper's three claims hold in this trial; it does not hold on seed 1 that "
            "i > v.");
  EXPECT_EQ(sentence({"v > s", "s > v", "i > v"}, one, 10),
            "One of the paper's three claims holds in this trial; it does not hold on seed 1 that "
            "s > v, nor on seed 1 that i > v.");
  EXPECT_EQ(sentence({"v > s", "s > v"}, one, 5),
            "One of the paper's two claims holds in this trial; it does not hold yet on seed 1 "
            "that s > v.");
  EXPECT_EQ(sentence({"v > s", "s > i"}, one), "Both of the paper's claims hold in this trial.");
  EXPECT_EQ(sentence({"v > s", "s > i", "v > i"}, one),
            "All three of the paper's claims hold in this trial.");
  EXPECT_EQ(sentence({"s > v", "i > v"}, one, 10),
            "None of the paper's two claims holds in this trial, on seed 1.");
  EXPECT_EQ(sentence({}, one), "");
}

TEST(Headline, TellsSeedsApart) {
  const Lines three =
      with(with(trial(1, 0.2, 0.5, 0.3), trial(2, 0.4, 0.5, 0.3)), trial(3, 0.3, 0.5, 0.2));
  EXPECT_EQ(sentence({"v > s", "v > i", "s > i"}, three, 10),
            "Two of the paper's three claims hold in all 3 trials; it does not hold on seeds 2 and "
            "3 that s > i.");
  EXPECT_EQ(sentence({"v > s", "s > i", "i > s", "s > v"}, three, 10),
            "One of the paper's four claims holds in all 3 trials; the second does not hold on "
            "seeds 2 and 3, the third on seed 1 and the fourth on seeds 1, 2 and 3.");
  EXPECT_EQ(sentence({"s > i", "i > s"}, three, 10),
            "None of the paper's two claims holds in all 3 trials; it does not hold on seeds 2 and "
            "3 that s > i, nor on seed 1 that i > s.");
  EXPECT_EQ(sentence({"s > v", "i > v"}, three, 5),
            "None of the paper's two claims holds yet in any of 3 trials.");
  EXPECT_EQ(sentence({"v > s", "v > i"}, with(three, {evaluation("v", 4, 0.5)})),
            "Both of the paper's claims hold in all 3 trials.");
}

TEST(Headline, OfASingleClaimIsAboutThatClaim) {
  const Lines one = trial(1, 0.2, 0.5, 0.4);
  const Lines two = with(one, trial(2, 0.5, 0.6, 0.4));
  EXPECT_EQ(sentence({"v > i"}, one), "The paper's claim holds in this trial.");
  EXPECT_EQ(sentence({"v > i"}, two), "The paper's claim holds in both trials.");
  EXPECT_EQ(sentence({"i > v"}, one), "The paper's claim does not hold yet on seed 1.");
  EXPECT_EQ(sentence({"i > v"}, two, 10), "The paper's claim does not hold on seeds 1 and 2.");
  EXPECT_EQ(sentence({"s > i"}, two), "The paper's claim holds on seed 1, but not on seed 2.");
}

TEST(Headline, SaysWhatCannotBeJudgedYet) {
  const Lines apart = {evaluation("i", 1, 0.1), evaluation("v", 1, 0.5), evaluation("v", 2, 0.5)};
  EXPECT_EQ(sentence({"v > i", "s > i", "v > s"}, apart),
            "One of the paper's three claims holds on seed 1; two cannot be judged yet.");
  EXPECT_EQ(sentence({"s > i", "v > s"}, apart),
            "None of the paper's two claims can be judged yet: no seed has all of their rows.");
  EXPECT_EQ(sentence({"s > i"}, apart),
            "The paper's claim cannot be judged yet: no seed has all of its rows.");
  const Lines uneven =
      with(trial(1, 0.1, 0.5, 0.3), {evaluation("v", 2, 0.5), evaluation("i", 2, 0.1)});
  EXPECT_EQ(sentence({"v > i", "v > s"}, uneven),
            "Both of the paper's claims hold on every seed that has the rows.");
}

TEST(Headline, BeginsThePageAndTheTerminalText) {
  const Lines records = with({study()}, trial(1, 0.2, 0.5, 0.25));
  const std::string says = "The paper's claim holds in this trial.";
  const std::string page = study_page(parse_all(records));
  const size_t at = page.find("The paper&#39;s claim holds in this trial.");
  EXPECT_LT(at, page.find("More is kept"));
  const Table table = make_table(parse_all(records));
  EXPECT_THAT(to_terminal(table, false), testing::StartsWith(says + "\n\nWho wins?\n"));
  const std::string no_claims = to_terminal(make_table(parse_all(trial(1, 0.2, 0.5, 0.2))), false);
  EXPECT_THAT(no_claims, testing::Not(testing::HasSubstr("claim")));
}

TEST(Claims, StandFirstOnThePageAndLastInTheTerminal) {
  const Lines records = with({study()}, trial(1, 0.2, 0.5, 0.25));
  const std::string page = study_page(parse_all(records));
  EXPECT_LT(page.find("More is kept"), page.find("<h2"));
  EXPECT_THAT(to_terminal(make_table(parse_all(records)), false),
              testing::HasSubstr("yes: More is kept ("));
  EXPECT_THAT(to_markdown(make_table(parse_all(records))),
              testing::HasSubstr("- **yes**: More is kept ("));
}

TEST(Claims, OfStrangeRecordsAreOpenAndHarmless) {
  Json strange = study();
  strange["claims"] = Json::parse(R"([{"says": 3, "above": "v", "below": [1, "nobody"]}, 7])");
  const Table table = make_table(parse_all(with({strange}, trial(1, 0.2, 0.5, 0.25))));
  ASSERT_EQ(table.findings.size(), 2U);
  for (const Finding& finding : table.findings) EXPECT_EQ(finding.verdict, "open");
}

TEST(Milestones, ShowEachRowOnItsWay) {
  const auto at = [](Json record, const char* kind, int step) {
    record["kind"] = kind;
    record["step"] = step;
    return record;
  };
  const Lines records = {study(),
                         at(evaluation("i", 1, 0.2), "milestone", 1000),
                         at(evaluation("i", 2, 0.4), "milestone", 1000),
                         at(evaluation("i", 1, 0.5), "evaluation", 2000),
                         at(evaluation("i", 2, 0.7), "evaluation", 2000),
                         at(evaluation("v", 1, 0.1), "milestone", 1000),
                         at(evaluation("v", 1, 0.1), "evaluation", 1000)};
  EXPECT_EQ(milestones_markdown(parse_all(records), make_table(parse_all(records))),
            "| on the way, by steps | 1,000 | 2,000 |\n|:--|:--|:--|\n"
            "| InfoNCE, OOD | 0.300 | 0.600 |\n"
            "| AdaSSL-V, OOD | 0.100 |  |\n");
  EXPECT_EQ(milestones_markdown(parse_all({study()}), make_table(parse_all({study()}))), "");
}

}  // namespace
}  // namespace adassl::report
