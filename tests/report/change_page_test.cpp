#include "adassl/report/change_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace adassl::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ChangePage page_with(std::vector<double> r, std::vector<double> cost) {
  ChangePage out;
  out.usual_cost.assign(r.size(), 0.5);
  out.r = std::move(r);
  out.cost = std::move(cost);
  out.unit = "nats";
  out.pairs = {{{"a.png", ""}, {"b.png", ""}, 0}, {{"c <1>.png", ""}, {"d.png", ""}, 0.25}};
  return out;
}

TEST(ChangePage, NamesTheDimensionsThatStandOutTheMostFirst) {
  const ChangePage page = page_with({-1.5, 0.2, 3.25}, {1, 1, 1});
  EXPECT_EQ(change_lead(page),
            "From a.png to b.png, r3 is 3.2 standard deviations above its mean and r1 is 1.5 "
            "standard deviations below its mean.");
}

TEST(ChangePage, SaysWhenTheChangeIsUsual) {
  EXPECT_THAT(change_lead(page_with({0.5, -0.9}, {1, 1})), HasSubstr("the change is a usual one"));
}

TEST(ChangePage, LeavesOutDimensionsThatCarryNothing) {
  ChangePage page = page_with({5, 2}, {0, 1});
  page.usual_cost = {0, 1};
  EXPECT_THAT(change_lead(page), Not(HasSubstr("r1 is")));
  page.cost = page.usual_cost = {0, 0};
  EXPECT_THAT(change_lead(page), HasSubstr("r carries nothing"));
}

TEST(ChangePage, EscapesTheNamesOfFiles) {
  const std::string body = change_body(page_with({1}, {1}));
  EXPECT_THAT(body, HasSubstr("c &lt;1&gt;.png"));
  EXPECT_THAT(body, Not(HasSubstr("<1>")));
}

TEST(ChangePage, PrintsEachDimensionAndEachSimilarPair) {
  const std::string text = change_text(page_with({1.25, -2}, {0.75, 0.125}));
  EXPECT_THAT(text, HasSubstr("+1.25 sd   cost    0.750   usual    0.500 nats"));
  EXPECT_THAT(text, HasSubstr("-2.00 sd"));
  EXPECT_THAT(text, HasSubstr("alike   0.25  c <1>.png -> d.png"));
}

TEST(ChangePage, NamesTheFactorsForWhichRPaysMoreThanUsual) {
  ChangePage page = page_with({0.1, 3, -2}, {0.75, 2, 1.5});
  page.groups = {{"hue", {0}}, {"size", {1, 2}}};
  EXPECT_EQ(change_lead(page),
            "From a.png to b.png, r pays most for size (3.50 nats instead of 1.00) and hue (0.75 "
            "nats instead of 0.50).");
  EXPECT_THAT(change_body(page), HasSubstr("Factor by factor"));
  EXPECT_THAT(change_text(page), HasSubstr("(r2, r3)"));
  page.cost = {0.5, 0.4, 0.5};
  EXPECT_THAT(change_lead(page), HasSubstr("no more than usual for any factor"));
}

TEST(ChangePage, OverlooksDimensionsThatADamagedRecordInvents) {
  ChangePage page = page_with({3}, {2});
  page.groups = {{"hue", {-1, 7}}};
  EXPECT_THAT(change_text(page), HasSubstr("hue"));
}

}  // namespace
}  // namespace adassl::report
