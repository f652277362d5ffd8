#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/report/control_figure.h"
#include "adassl/report/page.h"
#include "report/lines.h"
#include "support/error_message.h"
#include "support/html.h"

namespace adassl::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::unbalanced;

Json evaluation() {
  return {{"kind", "evaluation"}, {"row", "a"}, {"seed", 1}, {"step", 5}, {"metrics", {{"x", 1}}}};
}

Json control(const Json& groups) {
  return {{"kind", "control"}, {"row", "a"},       {"seed", 1},
          {"step", 5},         {"groups", groups}, {"factors", {"hue", "<size>"}},
          {"free", {0.5, 0.5}}};
}

TEST(ControlSection, ShowsWhichFactorsEachGroupChanges) {
  const Json groups = {{{"name", "hue"}, {"dims", {2, 6}}, {"changes", {0.9, 0.1}}}};
  const std::string page = study_page(parse_all({evaluation(), control(groups)}));
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("<h2>What can be controlled by r</h2>"));
  EXPECT_THAT(page, HasSubstr("hue<small> r3, r7</small>"));
  EXPECT_THAT(page, HasSubstr("var(--c0) 81%, transparent)\">0.90"));
  EXPECT_THAT(page, HasSubstr("all of r"));
  EXPECT_THAT(page, HasSubstr("&lt;size&gt;"));
}

TEST(ControlSection, IsOnNoPageWithoutARecord) {
  EXPECT_THAT(study_page(parse_all({evaluation()})), Not(HasSubstr("controlled by r")));
}

TEST(ControlSection, OfDamagedRecordsIsDrawnAsFarAsTheyGo) {
  for (const char* groups : {"3", "[1, null]", R"([{"name": 4, "dims": "x", "changes": {}}])",
                             R"([{"changes": [null, 1e999, "a"]}])", "{}"}) {
    const std::string page =
        study_page(parse_all({evaluation(), control(Json::parse(groups, nullptr, false))}));
    EXPECT_EQ(unbalanced(page), "") << groups;
    EXPECT_THAT(page, HasSubstr("all of r")) << groups;
  }
}

storage::Image grey() { return storage::make_image(4, 4, 1); }

TEST(ControlPicture, HasARowForEachGroup) {
  ControlFigure figure;
  figure.queries = {{"a.png",
                     grey(),
                     {grey(), grey()},
                     grey(),
                     {{"<hue>", {grey(), grey()}}, {"all of r", {grey()}}}}};
  const std::string picture = control_picture(figure);
  EXPECT_THAT(picture, HasSubstr("&lt;hue&gt;"));
  EXPECT_THAT(picture, HasSubstr("all of r"));
  size_t images = 0;
  for (size_t at = 0; (at = picture.find("<image", at)) != std::string::npos; ++at) ++images;
  EXPECT_EQ(images, 7U);
}

TEST(ControlPicture, RefusesSamplesThatAreNoPictures) {
  ControlFigure figure;
  figure.queries = {{"row 1", {}, {}, {}, {}}};
  EXPECT_THAT(testing::error_of([&] { control_picture(figure); }),
              HasSubstr("expected samples that can be shown as pictures"));
}

}  // namespace
}  // namespace adassl::report
