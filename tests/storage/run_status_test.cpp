#include "adassl/storage/run_status.h"

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::put;
using testing::TemporaryDirectory;

TEST(RunStatus, IsReadAsItWasWritten) {
  const TemporaryDirectory folder;
  const RunStatus status{7, 20, "step 7/20  loss 1.5"};
  write_status(folder / "status.json", status);
  EXPECT_EQ(read_status(folder / "status.json"), status);
  EXPECT_DOUBLE_EQ(status.fraction(), 0.35);
  EXPECT_EQ(RunStatus{}.fraction(), 0);
  EXPECT_EQ(folder.entries(), 1U) << "no temporary file stays";
}

TEST(RunStatus, ThatIsNotThereOrDamagedIsNone) {
  const TemporaryDirectory folder;
  EXPECT_FALSE(read_status(folder / "none"));
  for (const char* text : {"", "{", "[1]", "7", "{\"step\":"}) {
    put(folder / "a", text);
    EXPECT_FALSE(read_status(folder / "a")) << text;
  }
  put(folder / "a", std::string(1 << 20, ' '));
  EXPECT_FALSE(read_status(folder / "a"));
}

TEST(RunStatus, OfAnotherShapeLosesOnlyWhatDoesNotFit) {
  const TemporaryDirectory folder;
  put(folder / "a", R"({"step":"x","steps":3,"line":"a\nb","other":4})");
  EXPECT_EQ(read_status(folder / "a"), (RunStatus{0, 3, "a?b"}));
}

TEST(RunStatus, ThatCannotBeWrittenIsNoFailure) {
  EXPECT_NO_THROW(write_status("/nowhere/status.json", {}));
}

}  // namespace
}  // namespace adassl::storage
