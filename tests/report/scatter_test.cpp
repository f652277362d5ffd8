#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/report/label_places.h"
#include "adassl/report/page.h"
#include "adassl/report/picture.h"
#include "adassl/report/scatter_chart.h"
#include "adassl/report/sections.h"
#include "report/lines.h"

namespace adassl::report {
namespace {

using testing::HasSubstr;
using testing::Not;

size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

constexpr Box kPage{0, 0, 450, 350};

TEST(LabelPlaces, AreToTheRightOfALonelyPoint) {
  const auto places = label_places({{{100, 100}, 5, 60}}, {}, kPage);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_GT(places[0].left, 105);
  EXPECT_LT(places[0].left, 115);
  EXPECT_DOUBLE_EQ(places[0].centre().y, 100);
  EXPECT_TRUE(label_places({}, {}, kPage).empty());
}

TEST(LabelPlaces, TurnToTheOtherSideAtTheEdge) {
  const auto places = label_places({{{440, 100}, 5, 60}}, {}, kPage);
  EXPECT_LT(places[0].right, 435);
}

TEST(LabelPlaces, KeepClearOfMarksAndLines) {
  const Obstacles obstacles{{{110, 90, 130, 110}}, {{{90, 60}, {90, 140}}}};
  const auto places = label_places({{{100, 100}, 5, 60}}, obstacles, kPage);
  EXPECT_FALSE(overlap(places[0], obstacles.marks[0]));
  EXPECT_FALSE(places[0].left < 90 && places[0].right > 90);
}

TEST(LabelPlaces, NeverOverlapWhereThereIsRoom) {
  std::mt19937 draws(1);
  for (int trial = 0; trial < 60; ++trial) {
    const double spread = trial % 3 == 0 ? 0 : trial % 3 == 1 ? 20 : 200;  // also all on one spot
    std::uniform_real_distribution<double> offset(-spread, spread), width(30, 170);
    std::vector<Anchor> anchors;
    Obstacles obstacles;
    for (int i = 0; i < 14; ++i) {
      const Point at{225 + offset(draws), 175 + 0.8 * offset(draws)};
      anchors.push_back({at, 5, width(draws)});
      obstacles.marks.push_back({at.x - 7, at.y - 7, at.x + 7, at.y + 7});
    }
    const auto places = label_places(anchors, obstacles, kPage);
    for (size_t i = 0; i < places.size(); ++i) {
      EXPECT_GE(places[i].left, -1e-9);
      EXPECT_LE(places[i].right, kPage.right + 1e-9);
      EXPECT_GE(places[i].top, -1e-9);
      EXPECT_LE(places[i].bottom, kPage.bottom + 1e-9);
      for (size_t k = 0; k < i; ++k) {
        EXPECT_FALSE(overlap(places[i], places[k])) << "trial " << trial << ": " << i << ", " << k;
      }
    }
  }
}

TEST(LabelPlaces, EndWhereThereIsNoRoom) {
  EXPECT_EQ(label_places(std::vector<Anchor>(40, {{20, 20}, 5, 60}), {}, {0, 0, 80, 40}).size(),
            40U);
}

ScatterChart sample_chart() {
  ScatterChart chart;
  chart.title = "embeddings";
  chart.x = {"digit", true, kShareRange};
  chart.y = {"velocity", true, kRSquaredRange};
  chart.groups = {""};
  chart.points = {
      {"Both", 0, 0, Estimate{0.9, 0.8, 0.01, NAN}, Estimate{0.95, 0.9, 0.01, 0.02}},
      {"Ours", 1, 0, Estimate{0.7, 0.6, NAN, NAN}, {}},
      {"Paper", 2, 0, {}, Estimate{0.6, 0.5, NAN, NAN}},
      {"Neither", 3, 0, {}, {}},
  };
  return chart;
}

TEST(ScatterChart, FillsOursLeavesThePapersHollowAndJoinsThem) {
  const std::string svg = scatter_chart(sample_chart());
  EXPECT_EQ(count_of(svg, "class=\"dot\""), 2U);
  EXPECT_EQ(count_of(svg, "class=\"ring\""), 2U);
  EXPECT_EQ(count_of(svg, "<line x1="), 4U) << "three bars and one that joins the two";
  for (const char* name : {">Both</text>", ">Ours</text>", ">Paper</text>", ">digit</text>",
                           ">velocity</text>", ">better</text>", ">embeddings</text>"}) {
    EXPECT_EQ(count_of(svg, name), 1U) << name;
  }
  EXPECT_THAT(svg, HasSubstr("<title>Both, ours\ndigit 0.900 ±0.010\nvelocity 0.800</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("Neither")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(ScatterChart, OfNothingIsLeftOut) {
  ScatterChart chart = sample_chart();
  chart.points = {chart.points.back()};
  EXPECT_EQ(scatter_chart(chart), "");
  chart.points.clear();
  EXPECT_EQ(scatter_chart(chart), "");
}

TEST(ScatterChart, StandsASinglePoint) {
  ScatterChart chart = sample_chart();
  chart.points = {chart.points[1]};
  EXPECT_THAT(scatter_chart(chart), Not(HasSubstr("nan")));
}

TEST(ScatterChart, PointsToWhereBothMetricsAreBetter) {
  ScatterChart chart = sample_chart();
  EXPECT_THAT(scatter_chart(chart), HasSubstr("scale(1 1)"));
  chart.x.higher_is_better = false;
  EXPECT_THAT(scatter_chart(chart), HasSubstr("scale(-1 1)"));
  chart.y.higher_is_better.reset();
  EXPECT_THAT(scatter_chart(chart), Not(HasSubstr("better")));
}

TEST(ScatterChart, ShowsAUselessR2AsAnArrowAtTheEdge) {
  ScatterChart chart = sample_chart();
  chart.points[1].ours->y = -40;
  const std::string svg = scatter_chart(chart);
  EXPECT_THAT(svg, HasSubstr("rotate(90)"));  // downwards
  EXPECT_THAT(svg, HasSubstr("velocity −40.00</title>"));
  EXPECT_THAT(svg, Not(HasSubstr(">−40</text>")));
  chart.y.range = {};
  EXPECT_THAT(scatter_chart(chart), Not(HasSubstr("rotate(90)")));
}

TEST(ScatterChart, TellsGroupsApartByShape) {
  ScatterChart chart = sample_chart();
  chart.groups = {"", "priced", "free"};
  chart.points[1].group = 1;
  chart.points[2].group = 2;
  const std::string svg = scatter_chart(chart);
  EXPECT_THAT(svg, HasSubstr(">priced</text>"));
  EXPECT_THAT(svg, HasSubstr(">free</text>"));
  EXPECT_EQ(count_of(svg, "<circle "), 2U) << "of the row that has no group";
  chart.points = {chart.points[1]};
  EXPECT_THAT(scatter_chart(chart), Not(HasSubstr(">priced</text>"))) << "one shape needs no key";
}

TEST(ScatterChart, LeavesRoomForThePictureHoweverManyGroupsThereAre) {
  ScatterChart chart = sample_chart();
  const ScatterPoint point = chart.points[0];
  for (int64_t i = 1; i <= 60; ++i) {
    chart.groups.push_back("a group with a long name, number " + std::to_string(i));
    chart.points.push_back(point);
    chart.points.back().group = i;
  }
  const std::string svg = scatter_chart(chart);
  EXPECT_THAT(svg, HasSubstr(">a group with a long name, number 3</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">a group with a long name, number 60</text>")));
  EXPECT_THAT(svg, HasSubstr("d=\"M60 150L60 392L512 392\""));  // the axes, below six lines
}

TEST(ShownRange, OfAnR2EndsAtUselessAndPerfect) {
  EXPECT_EQ(shown_range(kRSquaredRange, {-30, 1.2}).low, -1);
  EXPECT_EQ(shown_range(kRSquaredRange, {-30, 1.2}).high, 1);
  EXPECT_LT(shown_range(kRSquaredRange, {-30, -20}).low, -1 + 1e-9) << "and has a length";
  EXPECT_GT(shown_range(kRSquaredRange, {-30, -20}).high, -1);
}

TEST(ShownRange, IsTheWholeRangeOfAMetricThatNamesNoBounds) {
  EXPECT_EQ(shown_range({}, {-30, 1.2}).low, -30);
  EXPECT_EQ(shown_range({}, {-30, 1.2}).high, 1.2);
  EXPECT_EQ(shown_range({.low = 0}, {-30, 1.2}).low, 0) << "one bound alone";
}

/// The range of the column of the study's own R², as the table found it.
MetricRange range_in(const Lines& records, size_t column) {
  return make_table(parse_all(records)).columns.at(column).range;
}

Json study() {
  return Json::parse(R"json({"kind": "study", "title": "Video",
    "columns": [{"metric": "acc", "label": "digit", "group": "embeddings"},
                {"metric": "r2", "label": "velocity", "group": "embeddings"},
                {"metric": "kl", "label": "KL", "group": "r", "higher_is_better": false}],
    "scatters": [{"x": "acc", "y": "r2", "label": "embeddings"}, {"x": "acc", "y": "kl"}],
    "describe": {"r2": {"label": "R²", "range": [-1, 1]}},
    "higher_is_better": true,
    "rows": [{"name": "a", "label": "BYOL", "paper": {"acc": [0.9, 0.01], "r2": [0.1, 0.02]}},
             {"name": "b", "label": "AdaSSL", "paper": {"acc": [0.8], "r2": [0.7]}},
             {"name": "c", "label": "Later"}]
})json");
}

std::string section_of(const Lines& records) {
  return scatter_section(make_table(parse_all(records)), parse_all(records));
}

Json evaluation(const std::string& row, int seed) {
  return {{"kind", "evaluation"},
          {"row", row},
          {"seed", seed},
          {"step", 10},
          {"metrics", {{"acc", 0.5 + 0.01 * seed}, {"r2", 0.2}, {"kl", 3.0}}}};
}

TEST(ScatterSection, StandsBetweenTheTableAndTheCurves) {
  const Lines records = {study(), evaluation("a", 1), evaluation("a", 2),
                         Json::parse(R"({"kind": "curve", "row": "a", "seed": 1,
                                           "points": {"step": [1, 2], "acc": [0.1, 0.2]}})")};
  const std::string page = study_page(parse_all(records));
  const size_t at = page.find("<h2>Trade-offs</h2>");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(page.find("<h2>Results</h2>"), at);
  EXPECT_GT(page.find("<h2>Learning curves</h2>"), at);
  EXPECT_EQ(count_of(page, "<figure class=\"scatter\">"), 2U);
  EXPECT_THAT(page, HasSubstr(">embeddings: digit</text>")) << "the second chart's groups differ";
  EXPECT_THAT(page, HasSubstr("hollow ones the paper&#39;s"));
  EXPECT_THAT(page, Not(HasSubstr("Up and to the right"))) << "less KL is better";
}

TEST(ScatterSection, ShowsOfAMetricWhatItsDescriptionSaysIsWorthShowing) {
  EXPECT_EQ(range_in({study()}, 1), kRSquaredRange);
  EXPECT_EQ(range_in({study()}, 2), MetricRange{}) << "nothing describes it";
}

TEST(ScatterSection, NeedsNoRecordsOfRuns) {
  const Lines records = {study()};
  const std::string html = section_of(records);
  EXPECT_EQ(count_of(html, "<figure"), 1U) << "the paper has no KL";
  EXPECT_EQ(count_of(html, "class=\"ring\""), 2U);
  EXPECT_EQ(count_of(html, "class=\"dot\""), 0U);
  EXPECT_THAT(html, HasSubstr("Up and to the right is better. Hollow marks are the paper&#39;s"));
}

TEST(ScatterSection, IsLeftOutWithoutScattersAndForMetricsThatAreNoColumns) {
  Lines records = {study(), evaluation("a", 1)};
  for (const Json& bad : {Json(nullptr), Json("text"), Json::array(), Json::array({1, "x"}),
                          Json::parse(R"([{"x": "acc", "y": "other"}, {"x": 3}])")}) {
    records[0]["scatters"] = bad;
    EXPECT_EQ(section_of(records), "") << bad;
  }
  records.erase(records.begin());
  EXPECT_EQ(section_of(records), "") << "a single run has no study";
}

TEST(ScatterSection, EscapesWhatComesFromRecords) {
  const std::string evil = "<script>alert('x')</script>\"&";
  Lines records = {study(), evaluation("a", 1)};
  records[0]["scatters"][0]["label"] = evil;
  records[0]["columns"][0]["label"] = evil;
  records[0]["rows"][0]["label"] = evil;
  records[0]["rows"][0]["group"] = evil;
  EXPECT_THAT(section_of(records), Not(HasSubstr("<script")));
}

TEST(ScatterPicture, IsOneSvgWithAllScatters) {
  const std::string picture = scatter_picture(parse_all({study(), evaluation("a", 1)}));
  EXPECT_EQ(picture.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0U);
  EXPECT_EQ(count_of(picture, "<svg x=\""), 2U);
  EXPECT_THAT(picture, HasSubstr("prefers-color-scheme: dark"));
  Json plain = study();
  plain.erase("scatters");
  EXPECT_THROW(scatter_picture(parse_all({plain, evaluation("a", 1)})), Error);
  EXPECT_THROW(scatter_picture(parse_all({})), Error);
  EXPECT_THROW(curves_picture(parse_all({})), Error);
}

}  // namespace
}  // namespace adassl::report
