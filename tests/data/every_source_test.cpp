#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "adassl/data/source.h"
#include "adassl/kernels/threads.h"
#include "support/small_files.h"
#include "support/small_mnist.h"
#include "support/small_sets.h"

/// The contract that every source of the table fulfils. A new source is tested as soon as it is in
/// the table; if it needs files, small ones are provided here.
namespace adassl::data {
namespace {

Config small_set(const std::string& name, const std::string& more) {
  Config out = Config::from_text("views.size = 16\n" + more, "small");
  for (const std::string& assignment : testing::small_set_for(name)) out.override_with(assignment);
  return out;
}

Config small_config(const std::string& name) {
  if (name == "numerical") return Config::from_text("data.mixing_candidates = 20", "small");
  if (name == "moving_mnist") {
    return Config::from_text("data.validation = 20\ndata.folder = '" + testing::small_mnist() + "'",
                             "small");
  }
  if (name == "files") {
    static const testing::TemporaryDirectory folder;
    testing::put_rows(folder / "a.npy", 300, 4);
    return Config::from_text("samples.path = '" + (folder / "a.npy").string() + "'", "small");
  }
  if (name == "three_d_ident") return small_set("three-d-ident", "");
  if (name == "celeba") return small_set("celeba", "");
  if (name == "inat") return small_set("inat", "data.test_shorter = 16");
  return Config::from_text("", "defaults");
}

class EverySource : public ::testing::TestWithParam<std::string> {
 protected:
  Config config_ = small_config(GetParam());
  std::shared_ptr<Source> source_ = find(sources(), "data", GetParam()).make(config_, "data", 1);
  Source::Shape shape_ = source_->shape();

  std::vector<int64_t> observations(int64_t count) const {
    std::vector<int64_t> out = shape_.observation;
    out.insert(out.begin(), count);
    return out;
  }
};

void expect_finite(const Array& array) {
  EXPECT_TRUE(std::ranges::all_of(array.values, [](float v) { return std::isfinite(v); }));
}

/// The rows of `few` are the first ones of `many`.
void expect_prefix(const Array& few, const Array& many) {
  ASSERT_EQ(few.columns(), many.columns());
  EXPECT_TRUE(std::equal(few.bytes.begin(), few.bytes.end(), many.bytes.begin()));
  EXPECT_TRUE(std::equal(few.values.begin(), few.values.end(), many.values.begin()));
}

/// The rows of `rest` are the last ones of `all`.
void expect_rest(const Array& rest, const Array& all) {
  ASSERT_EQ(rest.columns(), all.columns());
  EXPECT_TRUE(std::equal(rest.bytes.rbegin(), rest.bytes.rend(), all.bytes.rbegin()));
  EXPECT_TRUE(std::equal(rest.values.rbegin(), rest.values.rend(), all.values.rbegin()));
  EXPECT_EQ(rest.empty(), all.empty());
}

bool differ(const Array& a, const Array& b) { return a.values != b.values || a.bytes != b.bytes; }

std::vector<const Array*> arrays_of(const Batch& batch) {
  return {&batch.x,      &batch.x_plus,  &batch.helper,      &batch.mirror_helper,
          &batch.change, &batch.factors, &batch.factors_plus};
}

TEST_P(EverySource, YieldsPairsOfTheShapeItPromises) {
  const Batch batch = source_->pairs({1, "pairs"}, 12);
  EXPECT_EQ(batch.x.shape, observations(12));
  EXPECT_EQ(batch.x_plus.shape, observations(12));
  for (const Array* further : {&batch.helper, &batch.mirror_helper}) {
    if (!further->empty()) {
      EXPECT_EQ(further->shape, observations(12));
    }
  }
  EXPECT_EQ(batch.change.columns(), shape_.change);
  EXPECT_EQ(batch.factors.columns(), shape_.factors());
  for (const Array* array : arrays_of(batch)) expect_finite(*array);
}

TEST_P(EverySource, IsAPureFunctionOfTheStream) {
  const random::Stream stream(1, "pairs", 5);
  const Batch many = source_->pairs(stream, 70);
  kernels::set_threads(2);
  const Batch again = source_->pairs(stream, 70);
  kernels::set_threads(1);
  const Batch few = source_->pairs(stream, 9);
  for (size_t i = 0; i < arrays_of(many).size(); ++i) {
    EXPECT_EQ(arrays_of(many)[i]->values, arrays_of(again)[i]->values) << i;
    EXPECT_EQ(arrays_of(many)[i]->bytes, arrays_of(again)[i]->bytes) << i;
    expect_prefix(*arrays_of(few)[i], *arrays_of(many)[i]);
  }
  EXPECT_TRUE(differ(many.x, source_->pairs({1, "pairs", 6}, 70).x));
  EXPECT_TRUE(differ(many.x, source_->pairs({2, "pairs", 5}, 70).x));
}

TEST_P(EverySource, YieldsSamplesOfEveryPopulation) {
  const auto populations = source_->populations();
  ASSERT_FALSE(populations.empty());
  EXPECT_NE(std::ranges::find(populations, source_->held_out()), populations.end());
  for (const std::string& population : populations) {
    const Samples samples = source_->samples(population, {1, "samples"}, 15);
    EXPECT_EQ(samples.x.shape, observations(15)) << population;
    ASSERT_EQ(samples.known.columns(), static_cast<int64_t>(shape_.columns.size())) << population;
    for (size_t at = 0; at < samples.known.values.size(); ++at) {
      const Column& column = shape_.columns[at % shape_.columns.size()];
      if (column.kind != Column::Kind::kClass) continue;
      const float label = samples.known.values[at];
      EXPECT_TRUE(label >= 0 && label < static_cast<float>(column.classes)) << column.name;
    }
    expect_finite(samples.x);
    expect_finite(samples.known);
    expect_prefix(source_->samples(population, {1, "samples"}, 4).x, samples.x);
    expect_rest(source_->samples_from(population, {1, "samples"}, 4, 11).x, samples.x);
    expect_rest(source_->samples_from(population, {1, "samples"}, 4, 11).known, samples.known);
  }
  EXPECT_THROW(source_->samples("nobody", {1, "samples"}, 1), Error);
}

TEST_P(EverySource, NumbersTheFuturesItHas) {
  if (!shape_.continues) {
    EXPECT_THROW(source_->futures({1, "futures"}, 0, 1, 1), Error);
    return;
  }
  const auto all = source_->futures({1, "futures"}, 0, 4, 3);
  EXPECT_EQ(all.x.shape, observations(4));
  EXPECT_EQ(all.x_plus.shape, observations(12));
  EXPECT_EQ(all.change.columns(), shape_.change);
  EXPECT_EQ(all.factors_plus.columns(), shape_.factors());
  const auto first = source_->futures({1, "futures"}, 0, 2, 3);
  expect_prefix(first.x, all.x);
  expect_prefix(first.x_plus, all.x_plus);
  expect_prefix(source_->futures({1, "futures"}, 0, 1, 2).x_plus, all.x_plus);
}

TEST_P(EverySource, RoundTripsItsOptions) {
  const std::string resolved = config_.resolved();
  Config again = Config::from_text(resolved, "resolved");
  find(sources(), "data", GetParam()).make(again, "data", 1);
  again.require_all_read();
  EXPECT_EQ(again.resolved(), resolved);
}

INSTANTIATE_TEST_SUITE_P(Sources, EverySource, ::testing::ValuesIn(names(sources())),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace adassl::data
