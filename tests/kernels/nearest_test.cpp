#include "adassl/kernels/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "adassl/core/random.h"
#include "adassl/kernels/threads.h"
#include "support/error_message.h"

namespace adassl::kernels {
namespace {

std::vector<float> drawn(int64_t count, const char* purpose) {
  random::Sequence draws = random::Stream(1, purpose).at(0);
  std::vector<float> out(static_cast<size_t>(count));
  for (float& value : out) value = static_cast<float>(draws.normal());
  return out;
}

/// All rows in the order of their inner products in double precision.
std::vector<int64_t> by_definition(std::span<const float> query, const RowsView& rows) {
  std::vector<double> products;
  for (int64_t i = 0; i < rows.count(); ++i) {
    const auto row = rows.values.subspan(static_cast<size_t>(i * rows.width), query.size());
    products.push_back(std::inner_product(query.begin(), query.end(), row.begin(), 0.0));
  }
  std::vector<int64_t> order(products.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    return products[static_cast<size_t>(a)] > products[static_cast<size_t>(b)];
  });
  return order;
}

TEST(NearestRows, AreThoseOfTheDefinition) {
  for (const int64_t width : {1, 3, 8, 17, 128}) {
    const std::vector<float> rows = drawn(300 * width, "rows");
    const std::vector<float> queries = drawn(13 * width, "queries");
    const auto found = nearest_rows({queries, width}, {rows, width}, 5);
    ASSERT_EQ(found.size(), 13U);
    for (size_t q = 0; q < found.size(); ++q) {
      const std::span query(queries.data() + q * static_cast<size_t>(width),
                            static_cast<size_t>(width));
      const std::vector<int64_t> expected = by_definition(query, {rows, width});
      ASSERT_EQ(found[q].size(), 5U);
      for (size_t i = 0; i < 5; ++i) EXPECT_EQ(found[q][i].row, expected[i]) << width << ", " << q;
    }
  }
}

TEST(NearestRows, PutEqualRowsInOrder) {
  const std::vector<float> rows = {1, 2, 2, 2, 3};
  const std::vector<float> query = {1};
  const auto found = nearest_rows({query, 1}, {rows, 1}, 4)[0];
  std::vector<int64_t> order;
  for (const Neighbour& one : found) order.push_back(one.row);
  EXPECT_EQ(order, (std::vector<int64_t>{4, 1, 2, 3}));
  EXPECT_EQ(found[0].similarity, 3);
}

TEST(NearestRows, AreAsManyAsThereAre) {
  const std::vector<float> rows = {1, 2};
  const std::vector<float> query = {1};
  EXPECT_EQ(nearest_rows({query, 1}, {rows, 1}, 10)[0].size(), 2U);
  EXPECT_TRUE(nearest_rows({query, 1}, {{}, 1}, 10)[0].empty());
  EXPECT_TRUE(nearest_rows({{}, 1}, {rows, 1}, 10).empty());
  EXPECT_TRUE(nearest_rows({query, 1}, {rows, 1}, 0)[0].empty());
}

TEST(NearestRows, ComeLastWhereTheyAreNaN) {
  const std::vector<float> rows = {std::numeric_limits<float>::quiet_NaN(), -5, 1};
  const std::vector<float> query = {1};
  const auto found = nearest_rows({query, 1}, {rows, 1}, 3)[0];
  EXPECT_EQ(found[0].row, 2);
  EXPECT_EQ(found[2].row, 0);
}

TEST(NearestRows, DoNotDependOnTheNumberOfThreads) {
  const std::vector<float> rows = drawn(1000 * 16, "rows");
  const std::vector<float> queries = drawn(50 * 16, "queries");
  set_threads(1);
  const auto one = nearest_rows({queries, 16}, {rows, 16}, 7);
  set_threads(3);
  const auto three = nearest_rows({queries, 16}, {rows, 16}, 7);
  set_threads(1);
  for (size_t q = 0; q < one.size(); ++q) {
    for (size_t i = 0; i < one[q].size(); ++i) {
      EXPECT_EQ(one[q][i].row, three[q][i].row);
      EXPECT_EQ(one[q][i].similarity, three[q][i].similarity);
    }
  }
}

TEST(NearestRows, RefuseAnotherWidth) {
  const std::vector<float> six(6);
  EXPECT_EQ(testing::error_of([&] {
              nearest_rows({six, 3}, {six, 2}, 1);
            }),
            "[nearest] expected queries 2 wide, as the rows are, got 3");
}

}  // namespace
}  // namespace adassl::kernels
