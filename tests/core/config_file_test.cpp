#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/config.h"
#include "support/child_process.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl {
namespace {

using testing::drop_privileges;
using ::testing::EndsWith;
using testing::error_of;
using ::testing::HasSubstr;
using testing::in_child;
using testing::put;
using testing::TemporaryDirectory;

struct Train {
  int64_t steps = 100;
  void visit(Fields& field) { field("steps", steps, "how many", {1, 1e9}); }
};

TEST(ConfigFile, IsReadWithItsPathAsItsName) {
  const TemporaryDirectory folder;
  put(folder / "a.toml", "train.steps = 0\n");
  Config config = Config::from_file(folder / "a.toml");
  EXPECT_EQ(config.where(), (folder / "a.toml").string());
  EXPECT_THAT(error_of([&] { config.read<Train>("train"); }), HasSubstr("a.toml:1] train.steps"));
}

TEST(ConfigFile, BadTomlNamesItsLine) {
  EXPECT_THAT(error_of([] { Config::from_text("a = 1\nb = = 2\n", "file.toml"); }),
              HasSubstr("[file.toml:2] not valid TOML: "));
  EXPECT_THAT(error_of([] { Config::from_text("a = 1\na = 2\n", "file.toml"); }),
              HasSubstr("[file.toml:2] not valid TOML: "));
  EXPECT_THAT(error_of([] { Config::from_text("a = \"\xff\"\n", "file.toml"); }),
              HasSubstr("not valid TOML"));
}

TEST(ConfigFile, ThatIsMissingOrAFolderOrTooLargeIsAnError) {
  const TemporaryDirectory folder;
  EXPECT_THAT(error_of([&] { Config::from_file(folder / "none.toml"); }),
              HasSubstr("no such file"));
  EXPECT_THAT(error_of([&] { Config::from_file(folder.path()); }), HasSubstr("got a folder"));
  EXPECT_THAT(error_of([&] { Config::from_file("/dev/null"); }), HasSubstr("got a special file"));
  put(folder / "large.toml", "");
  std::filesystem::resize_file(folder / "large.toml", uintmax_t{5} << 20);
  EXPECT_THAT(error_of([&] { Config::from_file(folder / "large.toml"); }), HasSubstr("4.0 MiB"));
}

TEST(ConfigFile, ThatIsUnreadableIsAnError) {
  const TemporaryDirectory folder;
  put(folder / "a.toml", "a = 1");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(folder / "a.toml", std::filesystem::perms::none);
  EXPECT_THAT(in_child([&] {
                drop_privileges();
                return error_of([&] { Config::from_file(folder / "a.toml"); });
              }),
              HasSubstr("a.toml] cannot be read"));
}

TEST(ConfigFile, HostileNestingIsAnErrorAndNoCrash) {
  constexpr size_t kDepth = 200'000;
  std::string dots = "a";
  for (size_t i = 0; i < kDepth; ++i) dots += ".a";
  for (const std::string& text :
       {"a = " + std::string(kDepth, '['), "a = " + std::string(kDepth, '{'), dots + " = 1",
        "[" + dots + "]\nb = 1", "[[" + dots + "]]\nb = 1", "a = { " + dots + " = 1 }"}) {
    EXPECT_THROW(Config::from_text(text, "file.toml"), Error) << text.substr(0, 12);
  }
}

}  // namespace
}  // namespace adassl
