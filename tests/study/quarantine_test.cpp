#include "adassl/study/quarantine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::study {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

/// A source that only has a list of unusable files.
class Listed final : public data::Source {
 public:
  explicit Listed(std::vector<data::Unusable> list) : list_(std::move(list)) {}
  Shape shape() const override { return {}; }
  void make_pairs(const data::PairRows&, Batch&) const override {}
  std::vector<std::string> populations() const override { return {"train"}; }
  Samples samples(const std::string&, const random::Stream&, int64_t) const override { return {}; }
  std::vector<data::Unusable> unusable() const override { return list_; }
  void leave_out(const std::vector<data::Unusable>& parts) override { list_ = parts; }

 private:
  std::vector<data::Unusable> list_;
};

TEST(Quarantine, IsTheSameWhenARunIsResumed) {
  const testing::TemporaryDirectory folder;
  const auto run = storage::RunDirectory::create(folder / "run");
  const Listed first(
      std::vector<data::Unusable>{{"a b/\"1\".png", "is empty"}, {"ü\n.jpg", "ended early"}});
  write_quarantine(run, first);
  Listed repaired(std::vector<data::Unusable>{});
  restore_quarantine(run, repaired);
  EXPECT_EQ(repaired.unusable(), first.unusable());
}

TEST(Quarantine, KeepsNamesThatAreNotUtf8) {
  const testing::TemporaryDirectory folder;
  const auto run = storage::RunDirectory::create(folder / "run");
  const Listed first(std::vector<data::Unusable>{{"caf\xe9.png", "is empty"},
                                                 {"\\xe9 \xff/\ufffd\n", "is empty"},
                                                 {"\ufffd.png", "is empty"}});
  write_quarantine(run, first);
  const std::string lines = testing::contents(run.quarantine());
  EXPECT_THAT(lines, HasSubstr("{\"path\":\"caf\ufffd.png\",\"reason\":\"is empty\",\"path_hex\":"
                               "\"636166e92e706e67\"}\n"));
  EXPECT_THAT(lines, HasSubstr("{\"path\":\"\ufffd.png\",\"reason\":\"is empty\"}\n"));
  Listed again(std::vector<data::Unusable>{});
  restore_quarantine(run, again);
  EXPECT_EQ(again.unusable(), first.unusable());
}

TEST(Quarantine, IsNoFileIfAllFilesAreGood) {
  const testing::TemporaryDirectory folder;
  const auto run = storage::RunDirectory::create(folder / "run");
  write_quarantine(run, Listed(std::vector<data::Unusable>{}));
  EXPECT_FALSE(std::filesystem::exists(run.quarantine()));
  Listed damaged(std::vector<data::Unusable>{{"a.png", "is empty"}});  // since the run began
  restore_quarantine(run, damaged);
  EXPECT_THAT(damaged.unusable(), ElementsAre());
}

TEST(Quarantine, ThatIsDamagedIsOneLine) {
  const testing::TemporaryDirectory folder;
  const auto run = storage::RunDirectory::create(folder / "run");
  Listed source(std::vector<data::Unusable>{});
  const std::string good = R"({"path": "a", "reason": "b", "path_hex": )";
  for (const std::string& line : {std::string(R"({"path": 3})"), std::string("3"), good + "3}",
                                  good + "\"6\"}", good + "\"6g\"}", good + "\"-1\"}"}) {
    testing::put(run.quarantine(), line + "\n");
    EXPECT_THAT(error_of([&] { restore_quarantine(run, source); }),
                HasSubstr("expected lines with path and reason"))
        << line;
  }
}

}  // namespace
}  // namespace adassl::study
