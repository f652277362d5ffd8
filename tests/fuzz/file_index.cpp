#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

#include "adassl/data/samples/checked_files.h"
#include "adassl/storage/checksum.h"
#include "fuzz/harness.h"

namespace {

using namespace adassl;
namespace fs = std::filesystem;

/// Three files that were last changed at a fixed time, so that an index of the corpus knows them.
class SettledFiles {
 public:
  SettledFiles() {
    for (const char* name : {"a.png", "b.png", "c.png"}) {
      constexpr timespec kTime = {1'000'000'000, 0};
      constexpr timespec kTimes[2] = {kTime, kTime};
      testing::put(folder_ / name, name);
      if (::utimensat(AT_FDCWD, (folder_ / name).c_str(), kTimes, 0) != 0) std::abort();
    }
  }
  const fs::path& folder() const { return folder_.path(); }

 private:
  testing::TemporaryDirectory folder_;
};

/// An input that begins like an index is tried as it is. Any other is the body of one, and gets
/// what stands before it and the checksum, which no fuzzer would find.
std::string index_of(std::string_view input) {
  constexpr std::string_view kMagic = "adassl index 1\n";
  if (input.starts_with(kMagic)) return std::string(input);
  const std::string body = join(kMagic, input);
  return body + storage::Checksum().add(body).hex();
}

void require_sound(const data::FileIndex& index) {
  fuzz::require(index.details.empty() || index.details.size() == index.records.size(),
                "every record has details, or none has");
  for (const data::FileRecord& record : index.records) {
    fuzz::require(record.verdict < 2 + index.reasons.size(), "a verdict has its reason");
  }
  for (const std::string& reason : index.reasons) {
    fuzz::require(!reason.empty() && fuzz::is_one_line(reason), "a reason is one line");
  }
}

/// What was read and written again says the same of every file.
void require_round_trip(const data::FileIndex& index, const fs::path& copy) {
  const auto same = [](const data::FileRecord& a, const data::FileRecord& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  };
  fuzz::require(data::write_index(copy, index), "an index that was read can be written");
  const data::FileIndex again = data::read_index(copy);
  fuzz::require(std::ranges::equal(again.records, index.records, same), "records are kept");
  fuzz::require(again.reasons == index.reasons, "reasons are kept");
  const bool none = std::ranges::all_of(index.details, &std::string::empty);
  fuzz::require(none ? again.details.empty() : again.details == index.details, "details are kept");
}

/// Checks the files as a program that starts and finds this index. It can spare checks, but every
/// file has a verdict in the end, and what is written then knows all of them.
void check_with(const fs::path& path, const fs::path& folder) {
  const data::FileKind kind = {"images", ".png", &data::is_image_name, 1024};
  data::FileOptions options;
  options.index = path.string();
  size_t checked = 0;
  const auto check_all = [&] {
    data::CheckedFiles files(kind, folder, options);
    const auto check = [&](const fs::path& file, data::FileRecord& record, std::string& details) {
      ++checked;
      if (file.filename() == "b.png") throw Error("is damaged");
      record.content = 7;
      details = "details";
    };
    files.check(check, /*decode=*/true, [](int64_t, int64_t, const std::string&) {});
    for (int64_t i = 0; i < files.count(); ++i) {
      const data::FileRecord& record = files.record(i);
      fuzz::require(record.verdict != data::kUnknown && record.content != 0, "a file is checked");
      fuzz::require(files.fault(i).empty() == (record.verdict == data::kGood),
                    "a file that cannot be used has a reason");
      fuzz::require(record.name == storage::short_sum(files.names()[i]), "a record has its file");
    }
    fuzz::require(files.count() == 3, "every file is there");
  };
  check_all();
  checked = 0;
  check_all();
  fuzz::require(checked == 0, "files are checked once");
}

}  // namespace

/// The file that remembers which of the user's files were checked. One that is damaged is as good
/// as none, so that reading it is never an Error.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const SettledFiles files;
  const auto path = fuzz::file_with(index_of(fuzz::text_of(data, size)));
  const data::FileIndex index = data::read_index(path);
  require_sound(index);
  require_round_trip(index, fuzz::copy_of(path));
  check_with(path, files.folder());
  return 0;
}
