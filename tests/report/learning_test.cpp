#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/report/page.h"
#include "report/lines.h"
#include "support/html.h"

namespace adassl::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::unbalanced;

Json health(const std::string& row, bool well, const std::string& sentence) {
  return {{"kind", "health"},  {"row", row},   {"seed", 1},
          {"step", 300},       {"well", well}, {"alarms", well ? Json::array() : Json{"collapse"}},
          {"says", {sentence}}};
}

Json curve(const std::string& row) {
  Json describe = descriptions();
  describe["watched_pairs"] = {{"label", "watched pairs"}, {"about", "held-out pairs"}};
  return {{"kind", "curve"},
          {"row", row},
          {"seed", 1},
          {"describe", describe},
          {"points",
           {{"step", {0, 100, 200, 300}},
            {"loss", {nullptr, 3.0, 2.0, 1.0}},
            {"rankme", {2.25, 5.0, 7.0, 8.5}},
            {"watched_pairs", {256, 256, 256, 256}},
            {"constant", {nullptr, 3.0, nullptr, 3.0}},
            {"late", {nullptr, 3.0, nullptr, 4.0}},
            {"nothing", {nullptr, nullptr, nullptr, nullptr}}}}};
}

Json neighbours(int step, const std::string& other) {
  return {{"kind", "neighbours"},
          {"row", "a"},
          {"seed", 1},
          {"step", step},
          {"among", 2000},
          {"samples",
           {{{"name", "a/<1>.png"}, {"others", {{{"name", other}, {"similarity", 0.875}}}}}}}};
}

TEST(Learning, IsToldInWordsAndBesideTheNumbersBeforeTraining) {
  const std::string page =
      study_page(parse_all({curve("a"), health("a", true, "It is learning.")}));
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("<h2>Is it learning?</h2>"));
  EXPECT_THAT(page, HasSubstr("<li class=\"well\">It is learning.</li>"));
  EXPECT_THAT(page, HasSubstr("<td>2.250</td>"));
  EXPECT_THAT(page, HasSubstr("<td><b>8.500</b></td>"));
  EXPECT_THAT(page, HasSubstr("class=\"spark\""));
}

TEST(Learning, IsToldOfARunWhoseUntrainedModelHasARow) {
  const auto evaluated = [](const std::string& kind, int step) {
    return Json{{"kind", kind},
                {"row", "a"},
                {"seed", 1},
                {"step", step},
                {"final", true},
                {"describe", descriptions()},
                {"metrics", {{"r2_pz", 0.5}}}};
  };
  const std::string page =
      study_page(parse_all({curve("a"), health("a", true, "It is learning."),
                            evaluated("untrained", 0), evaluated("evaluation", 300)}));
  EXPECT_THAT(page, HasSubstr("a, untrained"));
  EXPECT_THAT(page, HasSubstr("<li class=\"well\">It is learning.</li>"));
}

TEST(Learning, IsNotToldOfARunThatWasNotWatched) {
  Json late = curve("a");
  late["points"]["step"] = {50, 100, 200, 300};
  EXPECT_THAT(study_page(parse_all({late})), Not(HasSubstr("Is it learning?")));
}

TEST(Learning, ShowsAlarmsOfTheRunsOfAStudyOnly) {
  const std::string page =
      study_page(parse_all({curve("a"), curve("b"), health("a", true, "It is learning."),
                            health("b", false, "The embeddings have <collapsed>.")}));
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("<li class=\"alarm\"><b class=\"verdict\">b, seed 1:</b> The "
                              "embeddings have &lt;collapsed&gt;."));
  EXPECT_THAT(page, Not(HasSubstr("It is learning.")));
  EXPECT_THAT(page, Not(HasSubstr("class=\"spark\"")));
}

TEST(Learning, NamesTheVariantThatIsAlarming) {
  Json flat = health("a", false, "It fails."), round = health("a", true, "It is learning.");
  flat["variant"] = "<flat>";
  round["variant"] = "round";
  const Lines lines = {curve("a"), curve("b"), flat, round};  // the later one hides nothing
  const std::string page = study_page(parse_all(lines));
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("<b class=\"verdict\">a, &lt;flat&gt;, seed 1:</b> It fails."));
  const std::string alone = study_page(parse_all({curve("a"), flat, round}));
  EXPECT_THAT(alone, HasSubstr("<b class=\"verdict\">&lt;flat&gt;:</b> It fails."));
  EXPECT_THAT(alone, HasSubstr("<b class=\"verdict\">round:</b> It is learning."));
}

TEST(Learning, SaysOnWhatARunWasWatched) {
  Json healthy = health("a", true, "It is learning.");
  EXPECT_THAT(study_page(parse_all({curve("a"), healthy})), Not(HasSubstr("Without labels")));
  healthy["watched"] = "256 <held-out> pairs";
  EXPECT_THAT(study_page(parse_all({curve("a"), healthy})),
              HasSubstr("Without labels, on 256 &lt;held-out&gt; pairs. Dashed: before training."));
}

TEST(Learning, ShowsTheNeighboursOfEachStepAsFarAsTherePicturesAre) {
  const Records records =
      parse_all({curve("a"), neighbours(0, "b/2.png"), neighbours(300, "c/3.png")});
  EXPECT_EQ(names_of_neighbours(records),
            (std::vector<std::string>{"a/<1>.png", "b/2.png", "c/3.png"}));
  const std::string page = run_page(
      records, "", "A run",
      {{"a/<1>.png", storage::make_image(2, 2, 3)}, {"c/3.png", storage::make_image(2, 2, 1)}});
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("Among 2,000 samples"));
  EXPECT_LT(page.find("<th>before training</th>"), page.find("<th>after 300 steps</th>"));
  EXPECT_THAT(page, HasSubstr("<img alt=\"a/&lt;1&gt;.png\""));
  EXPECT_THAT(page, HasSubstr("title=\"c/3.png  0.875\""));
  EXPECT_THAT(page, HasSubstr("<small>b/2.png  0.875</small>")) << "its picture is gone";
}

TEST(Learning, CallsSamplesHeldOutOnlyIfTheyWere) {
  Json shown = neighbours(300, "c/3.png");
  const auto title = [&](const Json& held_out) {
    shown["held_out"] = held_out;
    const std::string page = study_page(parse_all({curve("a"), shown}));
    const std::string begin = "<h3>Nearest neighbours of ";
    const size_t at = page.find(begin) + begin.size();
    return page.substr(at, page.find("</h3>", at) - at);
  };
  EXPECT_EQ(title(true), "fixed held-out samples");
  EXPECT_EQ(title(false), "fixed training samples");
  EXPECT_EQ(title(nullptr), "fixed samples");
}

TEST(Learning, OfDamagedRecordsMakesAPageAllTheSame) {
  for (const char* broken :
       {R"({"kind": "health", "well": 3, "says": "x"})", R"({"kind": "health", "says": [1]})",
        R"({"kind": "neighbours", "step": 1, "samples": [1, {"name": 2, "others": {"a": 1}}]})",
        R"({"kind": "neighbours", "step": 1, "samples": "x", "among": "y"})",
        R"({"kind": "importance", "row": "a", "factors": [], "importance": [[], []]})",
        R"({"kind": "curve", "points": {"step": [0, "a"], "rankme": {"b": 1}}})"}) {
    EXPECT_EQ(unbalanced(study_page(parse_all({curve("a"), Json::parse(broken)}))), "") << broken;
  }
}

TEST(Curves, OfASingleRunLeaveOutConstantsAndMarkTheBeginning) {
  const std::string page = study_page(parse_all({curve("a")}));
  EXPECT_THAT(page, HasSubstr("aria-label=\"RankMe\""));
  EXPECT_THAT(page, HasSubstr("aria-label=\"late\""));
  for (const char* left_out : {"watched pairs", "constant", "nothing"}) {
    EXPECT_THAT(page, Not(HasSubstr(fmt::format("aria-label=\"{}\"", left_out))));
  }
  EXPECT_THAT(page, HasSubstr("stroke-dasharray=\"4 4\""));
}

}  // namespace
}  // namespace adassl::report
