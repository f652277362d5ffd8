#include "adassl/data/groups.h"
#include "adassl/data/samples/samples.h"
#include "adassl/data/samples/table.h"
#include "adassl/data/splits.h"
#include "fuzz/harness.h"

namespace {

using namespace adassl;

/// Three samples with the columns of a table.
class WithColumns final : public data::SampleSet {
 public:
  explicit WithColumns(data::DataColumns columns) { columns_ = std::move(columns); }
  int64_t count() const override { return 3; }
  std::string name(int64_t i) const override { return "f/" + std::to_string(i) + ".png"; }
};

/// Uses a table as pairing, splits and evaluation do.
void use(data::DataColumns columns) {
  for (const data::DataColumn& column : columns) {
    fuzz::require(column.count() == 3, "every sample has a value in every column");
  }
  const WithColumns samples(std::move(columns));
  fuzz::accepted([&] {
    const data::GroundTruth truth = data::ground_truth(samples.columns(), {});
    for (size_t c = 0; c < truth.columns.size(); ++c) {
      for (int64_t i = 0; i < 3; ++i) truth.value(c, i);
    }
  });
  for (const data::DataColumn& column : samples.columns()) {
    fuzz::accepted([&] {
      const data::Groups groups = data::group_by(samples, column.name, "fuzz");
      for (const int32_t group : groups.of) {
        fuzz::require(group >= -1 && group < groups.count(), "a group has a key");
      }
    });
    data::SampleOptions in_time;
    in_time.time = column.name;
    fuzz::accepted([&] { data::timeline(samples, in_time); });
    data::SplitOptions by_column;
    by_column.split_column = column.name;
    fuzz::accepted([&] {
      const data::Split split = data::split_samples(samples, {}, by_column);
      fuzz::require(split.train.size() + split.validation.size() + split.test.size() == 3,
                    "every sample is in one part");
    });
  }
}

}  // namespace

/// Tables beside the data, whose rows name samples or stand in their order.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const auto folder = fuzz::file_with(text).parent_path();
  data::Names names;
  for (const char* name : {"f/0.png", "f/1.png", "f/2.png"}) names.add(name);
  for (const char* name : {"table.csv", "table.tsv"}) {
    const auto table = folder / name;
    testing::put(table, text);
    fuzz::accepted([&] { use(data::read_table_by_row(table, 3)); });
    fuzz::accepted([&] { use(data::read_table_by_name(table, "", names)); });
    fuzz::accepted([&] { data::read_observations(table, {"0"}); });
  }
  return 0;
}
