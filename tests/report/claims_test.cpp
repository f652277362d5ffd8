#include "adassl/report/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/report/milestones.h"
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
  EXPECT_EQ(part.verdict, "in part");
  EXPECT_EQ(part.text,
            "The paper finds that more is kept. Here it does not hold with seed 2, it holds with "
            "seed 1 (R² on N(0, 5I), OOD: AdaSSL-V 0.500, AdaSSL-S 0.300 against InfoNCE 0.300).");
  const Lines both = with(trial(1, 0.2, 0.5, 0.3), trial(2, 0.2, 0.5, 0.3));
  EXPECT_THAT(only_finding(with({study()}, both)).text,
              testing::StartsWith("More is kept, with each of 2 seeds (R²"));
}

TEST(Claims, WaitForASeedThatHasAllRows) {
  const Lines apart = {study(), evaluation("i", 1, 0.1), evaluation("v", 2, 0.5),
                       evaluation("s", 2, 0.5)};
  EXPECT_EQ(only_finding(apart).verdict, "open");
  EXPECT_EQ(only_finding(with({study()}, trial(1, NAN, 0.5, 0.5))).verdict, "open");
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
