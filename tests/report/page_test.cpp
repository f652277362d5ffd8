#include "adassl/report/page.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/report/picture.h"
#include "report/lines.h"
#include "support/html.h"

namespace adassl::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::unbalanced;

Json evaluation(const std::string& row, int seed) {
  const double shift = 0.01 * seed;
  return {{"kind", "evaluation"},
          {"row", row},
          {"method", "infonce"},
          {"seed", seed},
          {"step", 3000},
          {"metrics",
           {{"r2_pz", 0.8 + shift},
            {"rankme", 11.5},
            {"alignment", 0.3},
            {"active_dims", 4},
            {"density_energy", 0.125},
            {"wall_seconds", 61.0}}},
          {"vectors", {{"kl_per_dim", {0.1, 0.9, 0.5}}, {"r2_pz_per_factor", {0.7, 0.8}}}},
          {"describe", descriptions()},
          {"commit", "abc123"},
          {"host", {{"cpu", "A CPU"}, {"threads", 2}}}};
}

Json curve(const std::string& row, int seed) {
  return {{"kind", "curve"},
          {"row", row},
          {"seed", seed},
          {"points",
           {{"step", {100, 200, 300}}, {"loss", {3.0, nullptr, 1.0}}, {"r2_pz", {0.1, 0.5, 0.8}}}}};
}

Json density(const std::string& row) {
  std::vector<int> counts(100, 0);
  for (const size_t i : {44, 45, 54, 55}) counts[i] = 25;
  return {{"kind", "density"},
          {"row", row},
          {"seed", 1},
          {"panels",
           {{{"x_label", "c1+"},
             {"y_label", "c2+"},
             {"x_range", {-4, 4}},
             {"y_range", {-4, 4}},
             {"bins", 10},
             {"model", counts},
             {"truth", counts}}}}};
}

Json study() {
  return Json::parse(R"json({"kind": "study", "name": "s", "title": "Who wins?",
    "reference": "Table 2", "about": "A question.", "budget": "quick", "steps": 3000,
    "paper_steps": 200000, "columns": [{"metric": "r2_pz", "label": "p(z)", "group": "unbounded"}],
    "higher_is_better": true,
    "rows": [{"name": "a", "label": "InfoNCE", "paper": {"r2_pz": [0.521, 0.161]}},
             {"name": "b", "label": "Later", "group": "other"}]
})json");
  ;
}

Lines sample() {
  return {study(),       evaluation("a", 1), evaluation("a", 2),
          curve("a", 1), curve("a", 2),      density("a")};
}

TEST(Unbalanced, IsNoticed) {
  EXPECT_EQ(unbalanced("<p><b>x</b><br><i/></p><script>a < b</script>"), "");
  EXPECT_EQ(unbalanced("<p><b>x</p></b>"), "</p> closes <b>");
  EXPECT_EQ(unbalanced("<p>"), "<p> is never closed");
}

TEST(Page, HoldsEverySectionThatHasRecords) {
  const std::string page = study_page(parse_all(sample()));
  EXPECT_EQ(unbalanced(page), "");
  for (const char* text :
       {"Who wins?", "Table 2", "3,000 steps, 1.5% of the paper&#39;s 200,000", "0.815 ±0.007",
        "0.521 ±0.161", "+1.8σ", "Learning curves", "Conditional densities", "0.125 ±0.000",
        "What r is used for", "Factor by factor", "Geometry of the embeddings", "11.50 ±0.00",
        "A CPU, 2 threads", "abc123", "2:02 for 2 runs", "1 of 2"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

TEST(Page, LeavesOutSectionsWithoutRecords) {
  const std::string page = study_page(parse_all({study()}));
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("0.521 ±0.161"));
  EXPECT_THAT(page, HasSubstr("…"));
  for (const char* title : {"Learning curves", "Conditional densities", "What r is used for",
                            "Factor by factor", "Geometry", "All metrics", "Configuration"}) {
    EXPECT_THAT(page, Not(HasSubstr(title)));
  }
  EXPECT_EQ(unbalanced(study_page(parse_all({}))), "");
}

TEST(Page, NeedsNoNetwork) {
  const std::string page = study_page(parse_all(sample()));
  for (const char* text : {"http:", "https:", "src=", "@import", "<link"}) {
    EXPECT_THAT(page, Not(HasSubstr(text)));
  }
}

/// The untrained model of the row "infonce".
Json untrained() {
  Json out = evaluation("infonce", 1);
  out["kind"] = "untrained";
  out["step"] = 0;
  out["metrics"] = {{"r2_pz", 0.125}};
  return out;
}

TEST(Page, ShowsTheUntrainedModelAsARowOfItsOwn) {
  Lines lines = {untrained(), evaluation("infonce", 1)};  // as a run writes them
  const Table table = make_table(parse_all(lines));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].label, "infonce");
  EXPECT_EQ(table.rows[1].label, "infonce, untrained");
  EXPECT_EQ(table.rows[1].cells[0].mean, 0.125);
  EXPECT_THAT(study_page(parse_all(lines)), HasSubstr("infonce, untrained"));
  // In a study it stands in the group of its row and bears its label.
  lines.insert(lines.begin(), sample().front());
  lines.front()["rows"] = {{{"name", "infonce"}, {"label", "InfoNCE"}, {"group", "one"}},
                           {{"name", "other"}, {"label", "Other"}, {"group", "two"}}};
  const Table study = make_table(parse_all(lines));
  ASSERT_EQ(study.rows.size(), 3U);
  EXPECT_EQ(study.rows[1].label, "InfoNCE, untrained");
  EXPECT_EQ(study.rows[1].group, "one");
}

TEST(Page, NamesTheBarsOfAVector) {
  Lines lines = {evaluation("infonce", 1)};
  lines[0]["describe"]["r2_pz_per_factor"]["entries"] = {"hue", "a <long> name"};
  const std::string page = study_page(parse_all(lines));
  EXPECT_THAT(page, HasSubstr("<title>hue: 0.700</title>"));
  EXPECT_THAT(page, HasSubstr("<title>a &lt;long&gt; name: 0.800</title>"));
  EXPECT_THAT(page, HasSubstr(">hue</text>")) << "both names fit";
}

TEST(Page, DrawsTheImportanceOfCodesInTheOrderOfTheirFactors) {
  const Json importance = {{"kind", "importance"},
                           {"row", "infonce"},
                           {"seed", 1},
                           {"regressor", "LassoCV"},
                           {"factors", {"hue", "<size>"}},
                           {"importance", {{0, 2}, {1, 0}, {0.5, nullptr}}}};
  Lines lines = {evaluation("infonce", 1), importance};
  const std::string page = study_page(parse_all(lines));
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("Absolute weights of LassoCV"));
  const size_t second = page.find("code 2, hue: 1.000"), third = page.find("code 3, hue: 0.500");
  ASSERT_NE(third, std::string::npos);
  EXPECT_LT(second, third);
  EXPECT_THAT(page, HasSubstr("code 1, &lt;size&gt;: 2.000"));
  lines[1]["importance"][0] = {1};
  EXPECT_THROW(study_page(parse_all(lines)), Error);
}

TEST(Page, RanksTheDimensionsOfRWithinEachSeed) {
  Lines records = sample();
  records[1]["vectors"]["kl_per_dim"] = {0.9, 0.1, 0.5};
  EXPECT_THAT(study_page(parse_all(records)), HasSubstr("<title>1: 0.900 ±0.000</title>"));
}

TEST(Page, EscapesWhatComesFromRecords) {
  const std::string evil = "<script>alert('x')</script>\"&";
  Lines records = sample();
  for (const char* key : {"title", "reference", "about", "budget"}) records[0][key] = evil;
  records[0]["columns"][0]["label"] = evil;
  records[0]["columns"][0]["group"] = evil;
  for (const char* key : {"label", "group"}) records[0]["rows"][0][key] = evil;
  records[1]["commit"] = evil;
  records[1]["host"]["cpu"] = evil;
  records[1]["metrics"][evil] = 1;
  records[1]["vectors"][evil + "_per_factor"] = {1, 2};
  for (const char* key : {"label", "about", "unit"}) {
    for (auto& [name, described] : records[1]["describe"].items()) described[key] = evil;
  }
  records[3]["points"][evil] = {1, 2, 3};
  records[5]["panels"][0]["x_label"] = evil;
  records[5]["panels"][0]["y_label"] = evil;
  const std::string page = study_page(parse_all(records), {"", evil});
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("alert('")));
}

TEST(Page, SurvivesNumbersThatAreNone) {
  Lines records = sample();
  for (const Json& bad : {Json(nullptr), Json(NAN), Json(INFINITY), Json("text"), Json::array()}) {
    for (auto& [name, value] : records[1]["metrics"].items()) value = bad;
    records[1]["vectors"]["kl_per_dim"] = {bad, bad, bad};
    records[1]["host"]["threads"] = bad;
    records[3]["points"]["loss"] = {bad, bad, bad};
    records[3]["points"]["step"] = {100, bad, 300};
    records[5]["panels"][0]["model"][3] = bad;
    records[5]["panels"][0]["x_range"] = {bad, 4};
    records[0]["rows"][0]["paper"]["r2_pz"] = {0.5, bad};
    records[0]["steps"] = bad;
    const std::string page = study_page(parse_all(records));
    EXPECT_EQ(unbalanced(page), "") << bad;
    for (const char* text : {"nan", "inf,", "\"inf", "-inf"}) {
      EXPECT_THAT(page, Not(HasSubstr(text))) << bad;
    }
  }
}

TEST(Page, ShowsAnEmptyDensityAsNotAvailable) {
  Lines records = sample();
  for (Json& count : records[5]["panels"][0]["model"]) count = 0;
  EXPECT_THAT(study_page(parse_all(records)), HasSubstr(">n/a</text>"));
}

/// One bad line among the records must not cost the page.
TEST(Page, SaysThatADensityOfTheWrongSizeIsNotAvailable) {
  const std::string whole = study_page(parse_all(sample()));
  EXPECT_THAT(whole, Not(HasSubstr(">n/a</text>")));
  Lines records = sample();
  records[5]["panels"][0]["model"].push_back(1);
  EXPECT_THAT(study_page(parse_all(records)), HasSubstr(">n/a</text>"));
  records[5]["panels"][0]["bins"] = 4294967296;  // whose square is 0, in 64 bits
  EXPECT_THAT(study_page(parse_all(records)), HasSubstr(">n/a</text>"));
}

TEST(RunPage, NeedsNoStudy) {
  Lines records = sample();
  records.erase(records.begin());
  const std::string page = run_page(parse_all(records), "[train]\nsteps = 3 # <few>\n", "One run");
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("<h1>One run</h1>"));
  EXPECT_THAT(page, HasSubstr("R² on p(z)"));
  EXPECT_THAT(page, HasSubstr("steps = 3 # &lt;few&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("of the paper")));
}

TEST(RunPage, ListsNumbersThatAreTooManyForATable) {
  Json evaluation = {{"kind", "evaluation"}, {"row", "a"}, {"seed", 1}, {"step", 5}};
  for (int k = 0; k < 20; ++k) evaluation["metrics"]["number_" + std::to_string(k)] = k;
  const std::string one = run_page(parse_all(Lines{evaluation}), "", "One run");
  EXPECT_THAT(one, HasSubstr("<dl class=\"values wide\">"));
  EXPECT_THAT(one, Not(HasSubstr("<table class=\"results")));
  Json other = evaluation;
  other["row"] = "b";
  const std::string two = run_page(parse_all(Lines{evaluation, other}), "", "Two rows");
  EXPECT_THAT(two, Not(HasSubstr("<table class=\"results")));
  EXPECT_THAT(two, HasSubstr("<table class=\"plain\">"));
  evaluation["metrics"] = {{"few", 1}};
  EXPECT_THAT(run_page(parse_all(Lines{evaluation}), "", "Few"),
              HasSubstr("<table class=\"results"));
}

TEST(RunPage, CallsAMetricByItsNameWhereNothingDescribesIt) {
  Lines records = sample();
  records.erase(records.begin());
  for (Json& record : records) record.erase("describe");
  const std::string page = run_page(parse_all(records), "", "An old run");
  EXPECT_EQ(unbalanced(page), "");
  for (const char* text : {"r2_pz", "rankme", "loss", "Learning curves", "Conditional densities"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

TEST(RunPage, NeedsOnlyTheDescriptionOfAMetricThatNobodyKnows) {
  const Lines records = {
      Json::parse(R"json({"kind": "evaluation", "seed": 1, "step": 3, "metrics": {"novel": 0.25},
        "describe": {"novel": {"label": "a novel score", "about": "how novel", "unit": "bits",
                               "section": "geometry"}}})json")};
  const std::string page = run_page(parse_all(records), "", "A newcomer");
  EXPECT_THAT(page, HasSubstr("<b>a novel score, bits</b>: how novel."));
}

TEST(Page, DrawsTheCurvesThatAskForItInTheirOrder) {
  Json curve = Json::parse(R"json({"kind": "curve", "row": "a", "seed": 1,
    "points": {"step": [1, 2], "first": [1, 2], "hidden": [1, 2], "second": [1, 2]},
    "describe": {"second": {"label": "two", "order": 2, "curve": true}, "hidden": {"label": "no"},
                 "first": {"label": "one", "order": 1, "curve": true}}})json");
  const std::string page = study_page(parse_all({study(), curve}));
  EXPECT_THAT(page, Not(HasSubstr(">no</text>"))) << "the study has two rows";
  ASSERT_THAT(page, HasSubstr(">one</text>"));
  EXPECT_LT(page.find(">one</text>"), page.find(">two</text>"));
}

TEST(Picture, ShowsOneChartForEachColumnThatHasCurves) {
  const Lines records = {
      Json::parse(R"({"kind":"study","columns":[{"metric":"a"},{"metric":"b"}],
                      "rows":[{"name":"r","label":"Row"}]})"),
      Json::parse(R"({"kind":"curve","row":"r","seed":1,"points":{"step":[1,2],"a":[0.1,0.2]}})")};
  const std::string picture = curves_picture(parse_all(records));
  EXPECT_EQ(picture.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0U);
  size_t charts = 0;
  for (size_t at = picture.find("<svg x="); at != std::string::npos;
       at = picture.find("<svg x=", at + 1)) {
    ++charts;
  }
  EXPECT_EQ(charts, 1U);
  EXPECT_THROW(curves_picture(parse_all({records[0]})), Error);
}

TEST(Picture, ShowsTheCurvesOfEveryVariant) {
  Lines records = {Json::parse(R"({"kind":"study","rows":[{"name":"r","label":"Row"}],
                      "columns":[{"metric":"flat.a","label":"A","group":"flat"},
                                 {"metric":"round.a","label":"A","group":"round"}]})")};
  for (const char* variant : {"flat", "round"}) {
    Json curve = Json::parse(R"({"kind":"curve","row":"r","seed":1,"points":{"step":[1,2]}})");
    curve["points"][std::string(variant) + ".a"] = {0.1, 0.2};
    records.push_back(curve);
  }
  records.push_back(records.back());  // a repeated record counts once
  EXPECT_EQ(latest_of(parse_all(records), "curve").size(), 2U);
  const std::string picture = curves_picture(parse_all(records));
  EXPECT_THAT(picture, HasSubstr("A, flat"));
  EXPECT_THAT(picture, HasSubstr("A, round"));
}

TEST(Picture, ShowsTheCurvesOfEveryGroupOfRows) {
  Lines records = {Json::parse(R"({"kind":"study","columns":[{"metric":"a"},{"metric":"b"}],
      "rows":[{"name":"one","label":"beta = 1","group":"first"},
              {"name":"two","label":"beta = 2","group":"first"},
              {"name":"three","label":"beta = 3","group":"second"},
              {"name":"four","label":"beta = 4","group":"second"}]})")};
  for (const char* row : {"one", "two", "three", "four"}) {
    Json curve =
        Json::parse(R"({"kind":"curve","seed":1,"points":{"step":[1,2],"a":[0.1,0.2],"b":[3,2]}})");
    curve["row"] = row;
    records.push_back(curve);
  }
  const std::string picture = curves_picture(parse_all(records));
  for (const char* shown : {">a: first<", ">b: first<", ">a: second<", ">b: second<", ">beta = 1<",
                            ">beta = 2<", ">beta = 3<", ">beta = 4<"}) {
    EXPECT_THAT(picture, HasSubstr(shown));
  }
  // A row of charts for each group of rows.
  for (const char* place :
       {"x=\"24\" y=\"24\"", "x=\"568\" y=\"24\"", "x=\"24\" y=\"338\"", "x=\"568\" y=\"338\""}) {
    EXPECT_THAT(picture, HasSubstr(std::string("<svg ") + place + " "));
  }
}

TEST(Picture, FillsRowsOfUpToThreeEvenly) {
  const auto picture_with = [](int charts) {
    Json study = Json::parse(R"({"kind":"study","rows":[{"name":"r","label":"Row"}]})");
    Json curve = Json::parse(R"({"kind":"curve","row":"r","seed":1,"points":{"step":[1,2]}})");
    for (int i = 0; i < charts; ++i) {
      const std::string metric = "m" + std::to_string(i);
      study["columns"].push_back({{"metric", metric}});
      curve["points"][metric] = {0.1, 0.2};
    }
    return curves_picture(parse_all({study, curve}));
  };
  const auto size_with = [&](int charts) {
    const std::string picture = picture_with(charts);
    const size_t begin = picture.find("viewBox=\"0 0 ") + 13;
    return picture.substr(begin, picture.find('"', begin) - begin);
  };
  EXPECT_EQ(size_with(1), "568 338");
  EXPECT_EQ(size_with(3), "1656 338");
  EXPECT_EQ(size_with(4), "1112 652");  // two and two
  EXPECT_EQ(size_with(5), "1656 652");
  EXPECT_EQ(size_with(7), "1656 966");
  const std::string four = picture_with(4);
  for (const std::string place :
       {"x=\"24\" y=\"24\"", "x=\"568\" y=\"24\"", "x=\"24\" y=\"338\"", "x=\"568\" y=\"338\""}) {
    EXPECT_THAT(four, HasSubstr("<svg " + place + " "));
  }
}

}  // namespace
}  // namespace adassl::report
