#include "adassl/storage/replaceable.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

constexpr const char* kNone = "(no error)";

TEST(Replaceable, IsWhatIsNotThereOrEmptyOrOfTheSameKind) {
  const testing::TemporaryDirectory folder;
  const auto refusal = [&](const char* name) {
    return testing::error_of(
        [&] { require_replaceable(folder / name, "<!DOCTYPE html>", "a page", "--out"); });
  };
  EXPECT_EQ(refusal("nothing"), kNone);
  EXPECT_EQ(refusal(""), kNone) << "that a folder is no file is told where it is written";
  testing::put(folder / "empty", "");
  EXPECT_EQ(refusal("empty"), kNone);
  testing::put(folder / "page", "<!DOCTYPE html>\n<html>");
  EXPECT_EQ(refusal("page"), kNone);
  testing::put(folder / "notes.csv", "path,note\n");
  const std::string line = "[" + (folder / "notes.csv").string() +
                           "] expected to write a page, got another file there, which is kept; "
                           "choose another --out or remove the file";
  EXPECT_EQ(refusal("notes.csv"), line);
  testing::put(folder / "short", "<!");
  EXPECT_NE(refusal("short"), kNone);
  EXPECT_EQ(testing::contents(folder / "notes.csv"), "path,note\n");
}

}  // namespace
}  // namespace adassl::storage
