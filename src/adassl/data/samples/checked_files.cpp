#include "adassl/data/samples/checked_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/data/samples/list_file.h"
#include "adassl/kernels/threads.h"
#include "adassl/storage/checksum.h"
#include "adassl/storage/replaceable.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

int64_t nanoseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// What was checked since the program started, where no index file remembers it: a command looks
/// at its data several times, and should decode them once. The records of files that had just been
/// written are not kept: another change could leave their stamps as they are.
class CheckedBefore {
 public:
  FileIndex find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? FileIndex() : found->second;
  }
  void remember(const std::string& key, FileIndex index, int64_t before) {
    for (FileRecord& record : index.records) {
      if (record.stamp.modified >= before) record.stamp = {};
    }
    const std::lock_guard lock(mutex_);
    known_[key] = std::move(index);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, FileIndex> known_;
};

CheckedBefore& checked_before() {
  static CheckedBefore out;
  return out;
}

}  // namespace

std::string without_place(const std::string& message) {
  if (!message.starts_with('[')) return message;
  const size_t end = message.find("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

void require_tolerable(const std::vector<Rejected>& rejected, int64_t count, double tolerate,
                       const std::string& where, bool disk_failed) {
  try {
    require_tolerable(rejected, count, tolerate, where);
  } catch (const Error& error) {
    if (disk_failed) throw ReadError(error.what(), EIO);
    throw;
  }
}

void FileOptions::visit(Fields& field) {
  field.path("root", root,
             "the folder that a list's paths are relative to; empty: that of the list");
  field("follow_links", follow_links, "follow symbolic links that lead out of the folder");
  field("outside", outside,
        "read files that a list names outside of its folder: by .., as a whole path or behind a "
        "symbolic link");
  visit_reading(field);
}

void FileOptions::visit_reading(Fields& field) {
  field("check", check,
        "how all images are checked once, before training: decode them, or read their headers "
        "only; then a file that is damaged later on ends the run. Videos are always decoded",
        {"decode", "header"});
  field.path("index", index,
             "the file that remembers which files were checked; auto: in the user's cache folder; "
             "none: check them each time the program starts",
             {"auto", "none"});
  field.path(
      "cache", cache,
      "a file that keeps all pictures decoded, from which views are cut; it is made when it is "
      "not there; empty: none");
  field("cache_side", cache_side,
        "the length to which the shorter side of larger pictures is resized in the cache",
        {1, 8192});
}

CheckedFiles::CheckedFiles(const FileKind& kind, const fs::path& path, const FileOptions& options)
    : kind_(kind) {
  ADASSL_CHECK(!path.empty(), "[samples.path] expected a folder or a list of files, got nothing");
  std::vector<FileStamp> stamps;
  if (fs::is_directory(path)) {
    folder_ = path;
    FoundFiles found = find_files(path, kind.has_name, options.follow_links);
    names_ = std::move(found.names);
    stamps = std::move(found.stamps);
    remark_ = remark_on_unread(found);
  } else {
    folder_ = options.root.empty() ? path.parent_path() : fs::path(options.root);
    if (kind.has_name(path.filename().string())) {
      names_.add(path.filename().string());
    } else {
      FileList list = read_file_list(path);
      if (!options.outside) require_below(folder_, list.names, path);
      names_ = std::move(list.names);
      columns_ = std::move(list.columns);
    }
    stamps = stamps_of(folder_, names_);
  }
  ADASSL_CHECK(count() > 0, "[", path.string(), "] expected ", kind.what, " (", kind.endings,
               "), got none", remark_.empty() ? "" : "; ", remark_);
  describe(stamps, path, options);
}

CheckedFiles::CheckedFiles(const FileKind& kind, fs::path folder, Names names,
                           const fs::path& described_by, const FileOptions& options)
    : kind_(kind), folder_(std::move(folder)), names_(std::move(names)) {
  ADASSL_CHECK(count() > 0, "[", described_by.string(), "] expected ", kind.what, ", got none");
  describe(stamps_of(folder_, names_), described_by, options);
}

/// Begins the records of the files with what is known before any of them is opened.
void CheckedFiles::describe(const std::vector<FileStamp>& stamps, const fs::path& described_by,
                            const FileOptions& options) {
  index_.records.resize(stamps.size());
  if (kind_.has_details()) index_.details.resize(stamps.size());
  for (int64_t i = 0; i < count(); ++i) {
    FileRecord& record = index_.records[static_cast<size_t>(i)];
    record.name = storage::short_sum(names_[i], 0);
    record.stamp = stamps[static_cast<size_t>(i)];
  }
  index_path_ = options.index == "auto"   ? default_index(described_by)
                : options.index == "none" ? fs::path()
                                          : fs::path(options.index);
  if (options.index != "auto" && options.index != "none") {
    storage::require_replaceable(index_path_, kIndexBegin, "an index of files", "samples.index");
  }
}

/// Takes over what is known about files that have not changed.
void CheckedFiles::reuse(const FileIndex& known) {
  const std::vector<FileRecord>& old = known.records;
  const auto name_of = [&](size_t k) { return old[k].name; };
  std::vector<uint32_t> order;  // made when the files are no longer the same ones
  index_.reasons = known.reasons;
  for (size_t i = 0; i < index_.records.size() && !old.empty(); ++i) {
    FileRecord& record = index_.records[i];
    size_t at = i;
    if (i >= old.size() || name_of(i) != record.name) {
      if (order.empty()) {
        order.resize(old.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(order, {}, name_of);
      }
      const auto found = std::ranges::lower_bound(order, record.name, {}, name_of);
      if (found == order.end() || name_of(*found) != record.name) continue;
      at = *found;
    }
    if (old[at].stamp != record.stamp || record.stamp == FileStamp{}) continue;
    const std::string details = known.details.empty() ? "" : known.details[at];
    const bool good = old[at].verdict == kGood;
    if (good && kind_.has_details() && !kind_.can_be(old[at], details)) continue;
    record = old[at];
    if (kind_.has_details()) index_.details[i] = details;
  }
}

void CheckedFiles::check(const Check& check, bool decode, const Progress& progress) {
  constexpr int64_t kSettled = 2'000'000'000;  // the coarsest stamps of a file system, FAT
  const int64_t before = nanoseconds_since_1970() - kSettled;
  const std::string here = join(kind_.what, " in ", fs::absolute(folder_ / ".").string());
  reuse(index_path_.empty() ? checked_before().find(here) : read_index(index_path_));
  std::vector<int64_t> open;
  for (int64_t i = 0; i < count(); ++i) {
    const FileRecord& known = record(i);
    if (known.verdict == kUnknown || (decode && known.content == 0)) open.push_back(i);
  }
  using Clock = std::chrono::steady_clock;
  auto saved = Clock::now();
  const auto total = static_cast<int64_t>(open.size());
  for (size_t done = 0; done < open.size();) {
    const auto block = std::span(open).subspan(done, std::min(kind_.block, open.size() - done));
    check_block(block, check);
    done += block.size();
    progress(static_cast<int64_t>(done), total, join(kind_.what, " checked"));
    // A long first check that is interrupted continues where it was.
    if (index_path_.empty() || Clock::now() - saved < std::chrono::seconds(30)) continue;
    write_index(index_path_, index_);
    saved = Clock::now();
  }
  if (open.empty()) return;
  if (index_path_.empty()) {
    checked_before().remember(here, index_, before);
  } else {
    write_index(index_path_, index_);
  }
}

void CheckedFiles::check_block(std::span<const int64_t> files, const Check& check) {
  struct Found {
    std::string fault;
    bool lasting = true;
    bool disk_failed = false;
  };
  std::vector<Found> found(files.size());
  kernels::parallel_for_or_throw(static_cast<int64_t>(files.size()), [&](int64_t k) {
    const auto at = static_cast<size_t>(k);
    const auto i = static_cast<size_t>(files[at]);
    FileRecord& record = index_.records[i];
    std::string nothing;
    try {
      check(path(files[at]), record, kind_.has_details() ? index_.details[i] : nothing);
    } catch (const SystemError& error) {  // says nothing about the file
      record.content = 0;
      found[at] = {without_place(error.what()), false, !error.path_is_wrong()};
    } catch (const Error& error) {
      record.content = std::max<uint64_t>(1, record.content);
      found[at] = {without_place(error.what())};
    }
  });
  for (size_t k = 0; k < files.size(); ++k) {
    uint32_t& verdict = index_.records[static_cast<size_t>(files[k])].verdict;
    if (found[k].lasting) {
      verdict = found[k].fault.empty() ? kGood : index_.verdict_for(found[k].fault);
    } else {
      verdict = kUnknown;
      if (found[k].disk_failed) failed_ = files[k];
      refused_.insert_or_assign(files[k], found[k].fault);
    }
  }
}

std::string CheckedFiles::fault(int64_t i) const {
  const uint32_t verdict = record(i).verdict;
  if (const auto refused = refused_.find(i); refused != refused_.end()) return refused->second;
  return verdict < 2 ? "" : index_.reasons[verdict - 2];
}

std::shared_ptr<const images::Cache> CheckedFiles::cache(const FileOptions& options,
                                                         int64_t pictures,
                                                         const images::MakeImage& make,
                                                         const Progress& progress) const {
  if (disk_failed()) {
    throw ReadError(join("[", path(failed_).string(), "] ", fault(failed_), "; the cache '",
                         options.cache, "' depends on it: try again, or remove the file"),
                    EIO);
  }
  storage::Checksum list;
  for (const FileRecord& record : index_.records) {
    // A file of which only the header was read is known by its time instead of its content.
    const uint64_t content =
        record.content != 0 ? record.content : static_cast<uint64_t>(record.stamp.modified);
    const std::array<uint64_t, 4> file = {record.name, record.stamp.size, content,
                                          record.verdict == kGood};
    list.add(std::as_bytes(std::span(file)));
  }
  const images::CacheKey key{pictures, options.cache_side, list.hex()};
  if (!fs::exists(options.cache)) {
    images::build_cache(options.cache, key, make,
                        [&](int64_t done) { progress(done, pictures, "pictures cached"); });
  }
  return std::make_shared<images::Cache>(options.cache, key);
}

}  // namespace adassl::data
