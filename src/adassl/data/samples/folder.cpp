#include "adassl/data/samples/folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/kernels/threads.h"
#include "adassl/storage/file.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;
constexpr size_t kDeepest = 64;  // folders in folders

FileStamp stamp_of(const struct stat& status) {
  return {static_cast<uint64_t>(status.st_size),
          int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

/// Closes the folder at the end of its scope.
class OpenFolder {
 public:
  explicit OpenFolder(const fs::path& path) : folder_(::opendir(path.c_str())) {
    const int code = errno;
    if (folder_ != nullptr) return;
    throw ReadError(join("[", path.string(), "] cannot be read: ", storage::reason(code)), code);
  }
  ~OpenFolder() { ::closedir(folder_); }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;

  int number() const { return ::dirfd(folder_); }
  const dirent* next() { return ::readdir(folder_); }

 private:
  DIR* folder_;
};

class Walk {
 public:
  Walk(const fs::path& root, IsWanted* is_wanted, bool follow_links)
      : root_(root),
        real_root_(fs::canonical(root).string()),
        is_wanted_(is_wanted),
        follow_links_(follow_links) {}

  FoundFiles run() {
    visit("", 0);
    found_.names.shrink();
    found_.stamps.shrink_to_fit();
    return std::move(found_);
  }

 private:
  struct Entry {
    std::string name;
    unsigned char type;
  };

  void visit(const std::string& prefix, size_t depth) {
    const fs::path path = prefix.empty() ? root_ : root_ / prefix;
    ADASSL_CHECK(depth < kDeepest, "[", path.string(), "] expected at most ", kDeepest,
                 " folders in folders");
    OpenFolder folder(path);
    enter(folder.number(), path);
    std::vector<Entry> entries;
    while (const dirent* entry = folder.next()) {
      if (entry->d_name[0] != '.') entries.push_back({entry->d_name, entry->d_type});
    }
    std::ranges::sort(entries, {}, &Entry::name);
    for (const Entry& entry : entries) {
      const std::string name = prefix.empty() ? entry.name : prefix + "/" + entry.name;
      look_at(folder.number(), entry, name, depth);
    }
    inside_.erase(inside_.find(identity_of(folder.number())));
  }

  using Identity = std::pair<dev_t, ino_t>;
  static Identity identity_of(int folder) {
    struct stat status {};
    ::fstat(folder, &status);
    return {status.st_dev, status.st_ino};
  }
  void enter(int folder, const fs::path& path) {
    ADASSL_CHECK(inside_.insert(identity_of(folder)).second, "[", path.string(),
                 "] expected folders without a cycle, got a link to a folder above it");
  }

  void look_at(int folder, const Entry& entry, const std::string& name, size_t depth) {
    const bool wanted = is_wanted_(entry.name);
    if (entry.type == DT_REG && !wanted) {  // needs no system call
      if (std::string format = unread_format(entry.name); !format.empty()) ++found_.unread[format];
      return;
    }
    struct stat status {};
    if (entry.type == DT_LNK || entry.type == DT_UNKNOWN) {
      if (::fstatat(folder, entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISLNK(status.st_mode) && !may_follow(name)) {
        return;
      }
    }
    const bool there = ::fstatat(folder, entry.name.c_str(), &status, 0) == 0;
    if (there && S_ISDIR(status.st_mode)) {
      visit(name, depth + 1);
    } else if (wanted) {  // a file that cannot be looked at is found to be unusable later
      found_.names.add(name);
      found_.stamps.push_back(there ? stamp_of(status) : FileStamp{});
    }
  }

  /// Whether a link is to be followed; Error if it must not.
  bool may_follow(const std::string& name) const {
    if (follow_links_) return true;
    std::error_code code;
    const fs::path target = fs::canonical(root_ / name, code);
    if (code) return true;  // leads nowhere: an unusable file
    const std::string text = target.string();
    ADASSL_CHECK(text.starts_with(real_root_ + "/"), "[", (root_ / name).string(),
                 "] is a link that leads out of the folder, to ", text,
                 "; samples.follow_links=true follows it");
    return !fs::is_directory(target, code);
  }

  fs::path root_;
  std::string real_root_;
  IsWanted* is_wanted_;
  bool follow_links_;
  std::set<Identity> inside_;  // the folders that are being visited
  FoundFiles found_;
};

}  // namespace

bool is_image_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kExtensions = {".jpg", ".jpeg", ".png", ".webp"};
  return std::ranges::any_of(kExtensions, [&](std::string_view extension) {
    if (name.size() <= extension.size()) return false;
    return std::ranges::equal(
        name.substr(name.size() - extension.size()), extension,
        [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; });
  });
}

std::string unread_format(std::string_view name) {
  constexpr std::array<std::string_view, 16> kFormats = {
      ".heic", ".heif", ".avif", ".jxl", ".tif", ".tiff", ".gif", ".bmp",
      ".jp2",  ".psd",  ".svg",  ".cr2", ".nef", ".arw",  ".dng", ".raw"};
  std::string ending = text::lower_case(fs::path(name).extension().string());
  return std::ranges::find(kFormats, ending) == kFormats.end() ? "" : ending;
}

std::string remark_on_unread(const FoundFiles& found) {
  if (found.unread.empty()) return "";
  int64_t count = 0;
  std::string formats;
  for (const auto& [format, files] : found.unread) {
    count += files;
    formats += join(formats.empty() ? "" : ", ", format, " (", files, ")");
  }
  return join(count, count == 1 ? " picture is" : " pictures are",
              " left out, in formats that are not read: ", formats,
              "; convert them to PNG or JPEG to use them");
}

FoundFiles find_files(const fs::path& folder, IsWanted* is_wanted, bool follow_links) {
  return Walk(folder, is_wanted, follow_links).run();
}

std::vector<FileStamp> stamps_of(const fs::path& folder, const Names& names) {
  std::vector<FileStamp> out(static_cast<size_t>(names.count()));
  kernels::parallel_for(names.count(), [&](int64_t i) {
    struct stat status {};
    const std::string path = (folder / names[i]).string();
    if (::stat(path.c_str(), &status) == 0) out[static_cast<size_t>(i)] = stamp_of(status);
  });
  return out;
}

}  // namespace adassl::data
