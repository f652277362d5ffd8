#include "adassl/data/fetched.h"

#include <functional>

#include <gtest/gtest.h>

#include "adassl/data/source.h"

namespace adassl::data {
namespace {

/// One picture that cannot be read.
class Unreadable final : public SampleSet {
 public:
  explicit Unreadable(std::function<void()> fail) : fail_(std::move(fail)) {}
  int64_t count() const override { return 1; }
  std::string name(int64_t /*i*/) const override { return "a.png"; }
  int64_t pictures() const override { return 1; }
  storage::Image fetch_picture(int64_t /*i*/, int64_t /*frame*/) const override {
    fail_();
    return {};
  }

 private:
  std::function<void()> fail_;
};

/// What becomes of a failure while the sample is fetched.
std::string outcome_of(const std::function<void()>& fail) {
  try {
    Fetched(Unreadable(fail), 0);
  } catch (const LostSample& lost) {
    return std::string("lost: ") + lost.what();
  } catch (const ReadError& error) {
    return std::string("the disk fails: ") + error.what();
  }
  return "fetched";
}

TEST(Fetched, IsLostIfItsFileIsDamagedOrGone) {
  EXPECT_EQ(outcome_of([] { throw Error("[a.png] is damaged"); }), "lost: [a.png] is damaged");
  for (const int code : {ENOENT, EACCES, ENOTDIR, ELOOP}) {
    EXPECT_EQ(outcome_of([&] { throw ReadError("[a.png] cannot be read", code); }),
              "lost: [a.png] cannot be read");
  }
}

TEST(Fetched, IsNotLostIfTheDiskFails) {
  for (const int code : {EIO, EMFILE, ENOMEM, ESTALE}) {
    EXPECT_EQ(outcome_of([&] { throw ReadError("[a.png] cannot be read", code); }),
              "the disk fails: [a.png] cannot be read");
  }
  EXPECT_EQ(outcome_of([] {}), "fetched");
}

}  // namespace
}  // namespace adassl::data
