#include "adassl/data/order.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "adassl/core/error.h"

namespace adassl::data {
namespace {

std::vector<int64_t> shuffled(int64_t size, const random::Stream& stream) {
  const KeyedPermutation permutation(size, stream);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < size; ++i) out.push_back(permutation(i));
  return out;
}

TEST(KeyedPermutation, TakesEveryNumberOnce) {
  for (const int64_t size : {1, 2, 3, 4, 5, 7, 64, 65, 100, 1000, 4097}) {
    auto numbers = shuffled(size, {1, "order"});
    std::ranges::sort(numbers);
    for (int64_t i = 0; i < size; ++i) ASSERT_EQ(numbers[static_cast<size_t>(i)], i) << size;
  }
}

TEST(KeyedPermutation, DependsOnSeedPurposeAndStep) {
  const auto one = shuffled(1000, {1, "order", 0});
  EXPECT_EQ(one, shuffled(1000, {1, "order", 0}));
  EXPECT_NE(one, shuffled(1000, {2, "order", 0}));
  EXPECT_NE(one, shuffled(1000, {1, "other", 0}));
  EXPECT_NE(one, shuffled(1000, {1, "order", 1}));
}

/// Where number 0 goes is spread evenly: chi-squared over 16 places and 4,800 keys.
TEST(KeyedPermutation, IsEven) {
  std::vector<double> counts(16);
  constexpr int kKeys = 4800;
  for (uint64_t key = 0; key < kKeys; ++key) {
    ++counts[static_cast<size_t>(KeyedPermutation(16, {1, "even", key})(0))];
  }
  double chi_squared = 0;
  for (const double count : counts) chi_squared += (count - 300) * (count - 300) / 300;
  EXPECT_LT(chi_squared, 37.7);  // 15 degrees of freedom: 0.1 %
}

TEST(KeyedPermutation, RefusesWhatIsEmpty) {
  EXPECT_THROW(KeyedPermutation(0, {1, "order"}), Error);
}

TEST(Order, OfGeneratedPairsIsTheRow) {
  const Order order({}, 1, 8);
  EXPECT_EQ(order.at(5, 3), 3);
  EXPECT_EQ(order.rows(7, 2, 3), (std::vector<int64_t>{2, 3, 4}));
}

TEST(Order, TakesEveryPairOnceInAnEpochAndGoesOnWithTheNext) {
  constexpr int64_t kSize = 21;
  constexpr int64_t kBatch = 8;
  const Order order(kSize, 1, kBatch);
  std::vector<int64_t> all;
  for (int64_t step = 0; step < 21; ++step) {  // eight epochs
    for (int64_t row = 0; row < kBatch; ++row) all.push_back(order.at(step, row));
  }
  std::set<std::vector<int64_t>> orders;
  for (auto epoch = all.begin(); epoch != all.end(); epoch += kSize) {
    const std::vector<int64_t> numbers(epoch, epoch + kSize);
    EXPECT_EQ(std::set<int64_t>(numbers.begin(), numbers.end()).size(), 21U);
    orders.insert(numbers);
  }
  EXPECT_EQ(orders.size(), 8U) << "every epoch has an order of its own";
}

TEST(Order, OfSomeRowsNeedsNotTheOthers) {
  const Order order(21, 1, 8);
  for (int64_t step = 0; step < 6; ++step) {
    const auto whole = order.rows(step, 0, 8);
    const auto share = order.rows(step, 5, 3);
    EXPECT_TRUE(std::equal(share.begin(), share.end(), whole.begin() + 5));
  }
}

TEST(Order, OfABatchLargerThanTheSetTakesSeveralEpochs) {
  const auto rows = Order(3, 1, 10).rows(0, 0, 9);
  for (const int64_t number : {0, 1, 2}) EXPECT_EQ(std::ranges::count(rows, number), 3);
}

}  // namespace
}  // namespace adassl::data
