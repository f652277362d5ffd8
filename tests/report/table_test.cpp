#include "adassl/report/table.h"

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/report/numbers.h"
#include "report/lines.h"

namespace adassl::report {
namespace {

Json evaluation(const std::string& row, int seed, int step, const Json& metrics) {
  return {{"kind", "evaluation"}, {"row", row},   {"method", "m-" + row},
          {"seed", seed},         {"step", step}, {"metrics", metrics}};
}

Json study() {
  return Json::parse(R"json({"kind": "study", "name": "s", "title": "Who wins?",
    "reference": "Table 2", "budget": "quick", "steps": 3000, "paper_steps": 200000,
    "columns": [{"metric": "r2_pz", "label": "p(z)"}, {"metric": "r2_ood", "label": "OOD"}],
    "higher_is_better": true,
    "rows": [{"name": "a", "label": "InfoNCE", "paper": {"r2_pz": [0.5, 0.1], "r2_ood": [0.2, 0]}},
             {"name": "b", "label": "AdaSSL-V", "paper": {"r2_pz": [0.9, 0.02]}},
             {"name": "c", "label": "later", "paper": {"r2_pz": [0.4, 0.1]}}]
})json");
  ;
}

Lines sample() {
  return {evaluation("b", 1, 3000, {{"r2_pz", 0.9}, {"r2_ood", 0.6}}),
          evaluation("a", 1, 3000, {{"r2_pz", 0.6}, {"r2_ood", 0.1}}),
          evaluation("a", 2, 3000, {{"r2_pz", 0.8}, {"r2_ood", 0.3}}),
          evaluation("a", 1, 1000, {{"r2_pz", -7.0}, {"r2_ood", -7.0}}), study()};
}

TEST(Table, HasMeanAndSampleDeviationOfTheLastEvaluationOfEachSeed) {
  const Table table = make_table(parse_all(sample()));
  ASSERT_EQ(table.rows.size(), 3U);
  const Cell& cell = table.rows[0].cells[0];
  EXPECT_DOUBLE_EQ(cell.mean, 0.7);
  EXPECT_NEAR(cell.std, std::sqrt(0.02), 1e-12);
  EXPECT_EQ(cell.seeds, 2);
  EXPECT_TRUE(std::isnan(table.rows[1].cells[0].std));
}

TEST(Table, CountsTheDifferenceInThePapersStandardDeviations) {
  const Table table = make_table(parse_all(sample()));
  EXPECT_NEAR(table.rows[0].cells[0].deviations.value(), 2.0, 1e-9);
  EXPECT_FALSE(table.rows[0].cells[1].deviations) << "the paper's deviation is 0";
  EXPECT_FALSE(table.rows[1].cells[1].paper_mean) << "the paper has no such number";
  EXPECT_FALSE(table.rows[2].cells[0].deviations) << "we have no number yet";
}

TEST(Table, MarksTheBestOfEachGroupInTheDirectionOfTheColumn) {
  Lines records = sample();
  EXPECT_TRUE(make_table(parse_all(records)).rows[1].cells[0].best);
  EXPECT_FALSE(make_table(parse_all(records)).rows[0].cells[0].best);
  records.back()["columns"][0]["higher_is_better"] = false;
  EXPECT_TRUE(make_table(parse_all(records)).rows[0].cells[0].best);
  EXPECT_TRUE(make_table(parse_all(records)).rows[1].cells[1].best)
      << "the other column keeps the study's";
  records.back()["rows"][0]["group"] = "alone";
  EXPECT_FALSE(make_table(parse_all(records)).has_best());
}

TEST(Table, LeavesOutSeedsThatAreNotFiniteAndSaysSo) {
  Lines records = sample();
  records.push_back(evaluation("a", 3, 3000, {{"r2_pz", nullptr}, {"r2_ood", NAN}}));
  records.push_back(evaluation("c", 1, 3000, {{"r2_pz", INFINITY}}));
  const Table table = make_table(parse_all(records));
  EXPECT_DOUBLE_EQ(table.rows[0].cells[0].mean, 0.7);
  EXPECT_EQ(table.rows[0].cells[0].not_finite, 1);
  EXPECT_EQ(ours_text(table.rows[0], table.rows[0].cells[0]), "0.700 ±0.141†");
  EXPECT_EQ(ours_text(table.rows[2], table.rows[2].cells[0]), "n/a");
  EXPECT_EQ(ours_text(table.rows[2], table.rows[2].cells[1]), "–");
}

TEST(Table, KeepsGroupsTogetherAndAddsRowsTheStudyDoesNotName) {
  Lines records = sample();
  records.back()["rows"][0]["group"] = "x";
  records.back()["rows"][1]["group"] = "y";
  records.back()["rows"][2]["group"] = "x";
  records.push_back(evaluation("stray", 1, 3000, {{"r2_pz", 0.1}}));
  std::vector<std::string> names;
  for (const Row& row : make_table(parse_all(records)).rows) names.push_back(row.name);
  EXPECT_THAT(names, testing::ElementsAre("a", "c", "b", "stray"));
}

TEST(Table, DerivesItsColumnsWithoutAStudy) {
  const auto metrics_of = [](const Lines& records) {
    std::vector<std::string> out;
    for (const Column& column : make_table(parse_all(records)).columns)
      out.push_back(column.metric);
    return out;
  };
  Json described = evaluation("a", 1, 1, {{"r2_ood", 1}, {"r2_pz", 1}, {"kl", 1}});
  described["describe"] = descriptions();
  EXPECT_THAT(metrics_of({described}), testing::ElementsAre("r2_pz", "r2_ood"));
  EXPECT_EQ(make_table(parse_all({described})).columns[0].label, "R² on p(z)");
  EXPECT_EQ(make_table(parse_all({described})).columns[0].higher_is_better, true);
  EXPECT_THAT(metrics_of({evaluation("a", 1, 1, {{"kl", 1}, {"accuracy", 1}})}),
              testing::ElementsAre("accuracy", "kl"));
  EXPECT_EQ(make_table(parse_all({evaluation("a", 1, 1, {{"kl", 1}})})).rows[0].label, "m-a");
  EXPECT_TRUE(make_table(parse_all(Lines{})).rows.empty());
}

TEST(Table, NamesTheStepOfARowThatIsUnfinishedAndMarksNoBestValueBesideIt) {
  const auto text = [](int step) {
    Lines records = {study(), evaluation("a", 1, 3000, {{"r2_pz", 0.2}}),
                     evaluation("b", 1, step, {{"r2_pz", 0.5}})};
    records.back()["final"] = step == 3000;
    return to_markdown(make_table(parse_all(records)));
  };
  EXPECT_THAT(text(3000), testing::HasSubstr("| AdaSSL-V | **0.500"));
  EXPECT_THAT(text(1000), testing::HasSubstr("| AdaSSL-V (step 1,000) | 0.500"));
  EXPECT_THAT(text(1000), testing::HasSubstr("| InfoNCE | 0.200"));
  EXPECT_THAT(text(1000), testing::Not(testing::HasSubstr("**0")));
}

TEST(Table, PrefersTheStudysLabelToTheMetricsOwn) {
  Lines records = sample();
  records.back()["describe"] = descriptions();
  EXPECT_EQ(make_table(parse_all(records)).columns[0].label, "p(z)");
  records.back()["columns"][0].erase("label");
  EXPECT_EQ(make_table(parse_all(records)).columns[0].label, "R² on p(z)");
  records.back()["columns"][0]["metric"] = "round.r2_pz";
  EXPECT_EQ(make_table(parse_all(records)).columns[0].label, "R² on p(z), round");
}

TEST(Table, RefusesRecordsThatAreNoObjects) {
  EXPECT_THROW(make_table(parse_all({Json::array({1, 2})})), Error);
}

TEST(Table, StatesTheBudgetAndTheProgress) {
  Lines records = sample();
  records.push_back(evaluation("c", 1, 500, {{"r2_pz", 0.2}}));
  const Table table = make_table(parse_all(records));
  EXPECT_EQ(budget_text(table), "quick budget: 3,000 steps, 1.5% of the paper's 200,000");
  records.push_back(study());
  records.back()["horizon"] = 8000;
  records.back()["note"] = "a larger step size";
  EXPECT_EQ(budget_text(make_table(parse_all(records))),
            "quick budget: 3,000 steps, 1.5% of the paper's 200,000; schedules run over 8,000 "
            "steps; a larger step size");
  EXPECT_EQ(progress_text(table, table.rows[0]), "2 seeds");
  EXPECT_EQ(progress_text(table, table.rows[2]), "1 seed, step 500");
}

TEST(Markdown, IsExactlyThis) {
  EXPECT_EQ(to_markdown(make_table(parse_all(sample()))),
            "| | p(z) | OOD |\n"
            "|:--|:--|:--|\n"
            "| InfoNCE | 0.700 ±0.141 (0.500 ±0.100, +2.0σ) | 0.200 ±0.141 (0.200 ±0.000) |\n"
            "| AdaSSL-V | **0.900** (0.900 ±0.020, +0.0σ) | **0.600** |\n"
            "| later | … (0.400 ±0.100) | … |\n"
            "\n"
            "Mean ± sample standard deviation over seeds (quick budget: 3,000 steps, 1.5% of the "
            "paper's 200,000); in brackets the paper, Table 2, and the difference in its standard "
            "deviations. Bold: best of its column and group. …: not run.\n");
}

TEST(Markdown, NamesGroupsAndKeepsCellsInTheirRow) {
  Lines records = sample();
  records.back()["columns"][0]["group"] = "unbounded";
  records.back()["rows"][0]["group"] = "iso|tropic\n";
  const std::string text = to_markdown(make_table(parse_all(records)));
  EXPECT_THAT(text, testing::HasSubstr("| | unbounded: p(z) | OOD |\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n| *iso\\|tropic * | | |\n| InfoNCE |"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

/// The terminal column at which the word starts.
int64_t place_of(const std::string& line, const std::string& word) {
  const size_t at = line.find(word);
  return at == std::string::npos ? -1 : display_width(line.substr(0, at));
}

TEST(Terminal, AlignsItsColumns) {
  const auto lines = lines_of(to_terminal(make_table(parse_all(sample())), false));
  ASSERT_GT(lines.size(), 9U);
  EXPECT_EQ(lines[0], "Who wins?  (Table 2)");
  const int64_t first = place_of(lines[3], "p(z)"), second = place_of(lines[3], "OOD");
  EXPECT_EQ(place_of(lines[5], "0.700 ±0.141"), first);
  EXPECT_EQ(place_of(lines[5], "0.200 ±0.141"), second);
  EXPECT_EQ(place_of(lines[6], "0.500 ±0.100"), first);
  EXPECT_EQ(place_of(lines[7], "0.600"), second);
  EXPECT_EQ(place_of(lines[9], "…"), first);
  EXPECT_EQ(place_of(lines[5], "+2.0σ"), place_of(lines[6], "paper"));
}

TEST(Terminal, FitsInto120ColumnsWithThreeMetrics) {
  Lines records = sample();
  records.back()["columns"].push_back({{"metric", "r2_n5"}, {"label", "N(0, 5I) out of range"}});
  records.back()["rows"][0]["label"] = "InfoNCE with given r";
  for (const std::string& line : lines_of(to_terminal(make_table(parse_all(records)), false))) {
    EXPECT_LE(display_width(line), 120) << line;
  }
}

TEST(Terminal, ListsTheNumbersOfASingleRowThatWouldBeTooWide) {
  Json metrics;
  for (int i = 0; i < 30; ++i) metrics["metric_" + std::to_string(i)] = 0.5 + i / 100.0;
  const auto lines =
      lines_of(to_terminal(make_table(parse_all({evaluation("b", 1, 3000, metrics)})), false));
  ASSERT_GT(lines.size(), 30U);
  EXPECT_EQ(place_of(lines[0], "m-b"), 0) << lines[0];
  int64_t place = -1;
  for (int i = 0; i < 30; ++i) {
    const std::string value = number_text(0.5 + i / 100.0);
    const auto found = std::ranges::find_if(lines, [&](const std::string& line) {
      return line.find("metric_" + std::to_string(i) + " ") != std::string::npos;
    });
    ASSERT_NE(found, lines.end()) << i;
    EXPECT_LE(display_width(*found), 120);
    if (place < 0) place = place_of(*found, value);
    EXPECT_EQ(place_of(*found, value), place) << *found;
  }
  EXPECT_GE(place, 0);
}

/// Without escape sequences and spaces at the ends of lines.
std::string without_colour(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
      continue;
    }
    if (text[i] == '\n') out.erase(out.find_last_not_of(' ') + 1);
    out += text[i];
  }
  return out;
}

TEST(Terminal, ColoursChangeNothingButColour) {
  const std::string coloured = to_terminal(make_table(parse_all(sample())), true);
  EXPECT_THAT(coloured, testing::HasSubstr("\x1b[1m0.900 "));
  EXPECT_EQ(without_colour(coloured), to_terminal(make_table(parse_all(sample())), false) +
                                          "bold: best of its column and group\n");
}

TEST(Terminal, LetsNoRecordSendEscapeSequences) {
  Lines records = sample();
  records.back()["title"] = "bad\x1b[2J";
  EXPECT_THAT(to_terminal(make_table(parse_all(records)), false),
              testing::Not(testing::HasSubstr("\x1b")));
}

TEST(Numbers, Read) {
  EXPECT_EQ(number_text(0.7814), "0.781");
  EXPECT_EQ(number_text(-0.0001), "-1.0e-04");
  EXPECT_EQ(number_text(0), "0.000");
  EXPECT_EQ(number_text(-0.0), "0.000");
  EXPECT_EQ(number_text(12.345), "12.35");
  EXPECT_EQ(number_text(12345.6), "12346");
  EXPECT_EQ(number_text(3e9), "3.0e+09");
  EXPECT_EQ(number_text(NAN), "n/a");
  EXPECT_EQ(spread_text(0.5, NAN), "0.500");
  EXPECT_EQ(spread_text(12.0, 0.123), "12.00 ±0.12");
  EXPECT_EQ(deviations_text(-0.04), "+0.0σ");
  EXPECT_EQ(deviations_text(-1.6), "-1.6σ");
  EXPECT_EQ(deviations_text(1e5), ">+99σ");
  EXPECT_EQ(count_text(200000), "200,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(count_text(999), "999");
}

TEST(Table, RoundsThePapersDecimalsUp) {
  Cell cell{};
  cell.paper_mean = 0.8655;
  cell.paper_std = 0.0195;  // the nearest double is smaller
  EXPECT_EQ(paper_text(cell), "0.866 ±0.020");
}

}  // namespace
}  // namespace adassl::report
