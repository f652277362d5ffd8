#include "adassl/data/samples/checked_files.h"

#include <chrono>
#include <mutex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/small_files.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::error_of;
using testing::files_source;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr FileKind kImages = {"images", ".png", &is_image_name, 1024};

/// Makes all files an hour old, so that their stamps are settled.
void age(const fs::path& root) {
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
}

/// Six pictures, and what is found when they are checked.
class Checked : public ::testing::Test {
 protected:
  Checked() {
    testing::put_pictures(root_, 2, 3);
    age(root_);
  }
  struct Found {
    std::multiset<std::string> checked;
    std::vector<std::string> faults;
  };
  /// Checks all files as a program that starts would; `fail` may throw.
  Found check(const std::string& index,
              const std::function<void(const std::string& name)>& fail = {}) const {
    Found out;
    std::mutex mutex;
    FileOptions options;
    options.index = index;
    CheckedFiles files(kImages, root_, options);
    files.check(
        [&](const fs::path& path, FileRecord& record, std::string& /*details*/) {
          const std::string name = path.lexically_relative(root_).string();
          {
            const std::lock_guard lock(mutex);
            out.checked.insert(name);
          }
          if (fail) fail(name);
          record.content = 7;
        },
        /*decode=*/true, [](int64_t, int64_t, const std::string&) {});
    for (int64_t i = 0; i < files.count(); ++i) {
      if (const std::string fault = files.fault(i); !fault.empty()) {
        out.faults.push_back(std::string(files.names()[i]) + ": " + fault);
      }
    }
    return out;
  }

  testing::TemporaryDirectory folder_;
  fs::path root_ = folder_ / "pictures";
};

TEST_F(Checked, AreCheckedAgainIfTheSystemRefusedThem) {
  const auto refuse = [](const std::string& name) {
    if (name == "f0/1.png") throw ReadError("[f0/1.png] cannot be read: I/O error", EIO);
    if (name == "f1/2.png") throw Error("[f1/2.png] is damaged");
  };
  for (const std::string& index : {(folder_ / "index").string(), std::string("none")}) {
    const Found first = check(index, refuse);
    EXPECT_EQ(first.checked.size(), 6U);
    EXPECT_THAT(first.faults,
                ElementsAre("f0/1.png: cannot be read: I/O error", "f1/2.png: is damaged"));
    const Found second = check(index, refuse);
    EXPECT_THAT(second.checked, ElementsAre("f0/1.png"));
    EXPECT_EQ(second.faults, first.faults);
    const Found third = check(index);  // the disk answers again
    EXPECT_THAT(third.checked, ElementsAre("f0/1.png"));
    EXPECT_THAT(third.faults, ElementsAre("f1/2.png: is damaged"));
    EXPECT_THAT(check(index).checked, IsEmpty());
  }
}

/// Which kind of error six pictures are where this happens to one of them.
std::string kind_of_error(const std::exception& failure, const fs::path& root) {
  FileOptions options;
  options.index = "none";
  CheckedFiles files(kImages, root, options);
  const auto check = [&](const fs::path& path, FileRecord& /*record*/, std::string& /*details*/) {
    if (path.filename() != "0.png" || path.parent_path().filename() != "f0") return;
    if (const auto* error = dynamic_cast<const ReadError*>(&failure)) throw *error;
    throw Error(failure.what());
  };
  files.check(check, /*decode=*/true, [](int64_t, int64_t, const std::string&) {});
  const std::vector<Rejected> rejected = {{0, "f0/0.png", files.fault(0)}};
  require_tolerable(rejected, 6, 0.2, "here", files.disk_failed());
  try {
    require_tolerable(rejected, 6, 0.1, "here", files.disk_failed());
    return "no error";
  } catch (const ReadError& error) {
    return error.path_is_wrong() ? "a wrong path" : error.what();
  } catch (const Error&) {
    return "a mistake";
  }
}

TEST_F(Checked, ThatADiskRefusedAreNotTheMistakeOfTheUser) {
  EXPECT_EQ(kind_of_error(ReadError("cannot be read: I/O error", EIO), root_),
            "[here] expected at most 0.1 of 6 samples to be unusable (samples.tolerate), got 1: "
            "'f0/0.png' cannot be read: I/O error");
  EXPECT_EQ(kind_of_error(ReadError("cannot be read: Permission denied", EACCES), root_),
            "a mistake");
  EXPECT_EQ(kind_of_error(Error("is damaged"), root_), "a mistake");
}

TEST_F(Checked, ThatADiskRefusedAreNotMissingInACacheForEver) {
  FileOptions options;
  options.index = "none";
  options.cache = (folder_ / "cache").string();
  bool fails = true;
  const auto check = [&](const fs::path& path, FileRecord& record, std::string& /*details*/) {
    if (fails && path.filename() == "1.png") throw ReadError("[1.png] cannot be read", EIO);
    record.content = 7;
  };
  const auto nothing = [](int64_t, int64_t, const std::string&) {};
  const auto make = [](int64_t) { return storage::make_image(2, 2, 3); };
  const auto use_cache = [&] {
    CheckedFiles files(kImages, root_, options);
    files.check(check, /*decode=*/true, nothing);
    return files.cache(options, files.count(), make, nothing)->count();
  };
  EXPECT_THAT(error_of(use_cache), HasSubstr("1.png] cannot be read; the cache '"));
  EXPECT_FALSE(fs::exists(options.cache));
  fails = false;
  EXPECT_EQ(use_cache(), 6);
  EXPECT_EQ(use_cache(), 6);
}

TEST_F(Checked, AreCheckedAgainWhereTheIndexGivesNoReason) {
  const std::string index = (folder_ / "index").string();
  const auto refuse = [](const std::string& name) {
    if (name == "f1/2.png") throw Error("[f1/2.png] is damaged");
  };
  check(index, refuse);
  FileIndex wrong = read_index(index);
  ASSERT_THAT(wrong.reasons, ElementsAre("is damaged"));
  wrong.reasons[0].clear();
  ASSERT_TRUE(write_index(index, wrong));
  const Found again = check(index, refuse);
  EXPECT_EQ(again.checked.size(), 6U);
  EXPECT_THAT(again.faults, ElementsAre("f1/2.png: is damaged"));
}

TEST_F(Checked, WithoutAnIndexAreCheckedOnceInAProgram) {
  EXPECT_EQ(check("none").checked.size(), 6U);
  EXPECT_THAT(check("none").checked, IsEmpty());
  testing::put_picture(root_ / "f1" / "0.png", 9);  // just now
  EXPECT_THAT(check("none").checked, ElementsAre("f1/0.png"));
  EXPECT_THAT(check("none").checked, ElementsAre("f1/0.png")) << "it may change once more";
  age(root_);
  EXPECT_EQ(check("none").checked.size(), 6U) << "all times have changed";
}

/// The source of these pictures with a cache.
std::string cached(const fs::path& root, const fs::path& cache, const std::string& check) {
  return "[samples]\nkind = 'images'\nindex = 'none'\ncheck = '" + check + "'\ncache = '" +
         cache.string() + "'\npath = '" + root.string() + "'\n[views]\nkind = 'weak'\nsize = 8\n";
}

TEST_F(Checked, ByTheirHeadersAreNotTakenFromTheCacheOfOlderOnes) {
  const fs::path changed = root_ / "f0" / "0.png";
  const std::string old = testing::contents(changed);
  const std::string other = [&] {  // a picture in a file of the same size
    for (int number = 3;; number += 3) {
      testing::put_picture(folder_ / "x" / "0.png", number);
      if (testing::contents(folder_ / "x" / "0.png").size() == old.size()) break;
    }
    return testing::contents(folder_ / "x" / "0.png");
  }();
  for (const std::string check : {"header", "decode"}) {
    testing::put(changed, old);
    age(root_);
    const fs::path cache = folder_ / (check + ".cache");
    files_source(cached(root_, cache, check));
    EXPECT_EQ(error_of([&] { files_source(cached(root_, cache, check)); }), "(no error)");
    testing::put(changed, other);
    EXPECT_THAT(error_of([&] { files_source(cached(root_, cache, check)); }),
                HasSubstr("expected the cache of these files, got that of others"))
        << check;
  }
}

}  // namespace
}  // namespace adassl::data
