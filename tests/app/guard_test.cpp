#include "adassl/app/guard.h"

#include <functional>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace adassl::app {
namespace {

namespace fs = std::filesystem;

struct Ending {
  int code;
  std::string line;  // on standard error

  bool operator==(const Ending&) const = default;
};

Ending ending_of(const std::function<int()>& run) {
  ::testing::internal::CaptureStderr();
  const int code = guarded(run);
  return {code, ::testing::internal::GetCapturedStderr()};
}

template <class Exception>
Ending ending_after(const Exception& exception) {
  return ending_of([&]() -> int { throw exception; });
}

fs::filesystem_error failed(std::errc reason) {
  return {"cannot do it", "/data/photos", "/elsewhere", std::make_error_code(reason)};
}

TEST(Guard, LetsASuccessPass) {
  EXPECT_EQ(ending_of([] { return 130; }), (Ending{130, ""}));
}

TEST(Guard, TellsAWrongPathFromAFailingDiskWhereTheLibraryReadsFolders) {
  const auto line = [](const std::string& reason) {
    return "adassl: [/data/photos] " + reason + "\n";
  };
  using enum std::errc;
  EXPECT_EQ(ending_after(failed(no_such_file_or_directory)),
            (Ending{2, line("No such file or directory")}));
  EXPECT_EQ(ending_after(failed(permission_denied)), (Ending{2, line("Permission denied")}));
  EXPECT_EQ(ending_after(failed(not_a_directory)), (Ending{2, line("Not a directory")}));
  EXPECT_EQ(ending_after(failed(io_error)), (Ending{1, line("Input/output error")}));
  EXPECT_EQ(ending_after(failed(no_space_on_device)), (Ending{1, line("No space left on device")}));
  EXPECT_EQ(ending_after(failed(too_many_files_open)), (Ending{1, line("Too many open files")}));
}

TEST(Guard, TellsAUsersMistakeFromAFailure) {
  EXPECT_EQ(ending_after(Error("[x] wrong\nin two lines")),
            (Ending{2, "adassl: [x] wrong?in two lines\n"}));
  EXPECT_EQ(ending_after(ReadError("[x] no such file", ENOENT)),
            (Ending{2, "adassl: [x] no such file\n"}));
  EXPECT_EQ(ending_after(ReadError("[x] cannot be read", EIO)),
            (Ending{1, "adassl: [x] cannot be read\n"}));
  EXPECT_EQ(ending_after(WriteError("[x] is full", ENOSPC)), (Ending{1, "adassl: [x] is full\n"}));
  EXPECT_EQ(ending_after(Failure("the loss is NaN")), (Ending{1, "adassl: the loss is NaN\n"}));
  EXPECT_EQ(ending_after(std::bad_alloc()), (Ending{1, "adassl: out of memory\n"}));
}

}  // namespace
}  // namespace adassl::app
