#include "adassl/storage/run_directory.h"

#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>

#include "adassl/core/error.h"

namespace adassl::storage {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = "lock";

/// What an atomic write leaves behind when its process is killed: ".name.pid-n.tmp".
bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.ends_with(".tmp");
}

void remove_temporaries(const fs::path& folder) {
  std::error_code ignored;  // one that stays harms nobody
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (is_temporary(entry.path())) found.push_back(entry.path());
  }
  for (const fs::path& path : found) fs::remove(path, ignored);
}

/// A folder with nothing but an unused skeleton (a creation that failed half-way) counts as empty.
/// config.toml is what makes it a run: it is written last.
void require_unused(const RunDirectory& run) {
  std::error_code code;
  const fs::file_status status = fs::status(run.path(), code);
  if (!fs::exists(status)) return;
  const std::string name = run.path().string();
  ADASSL_CHECK(fs::is_directory(status), "[", name, "] expected a folder, got a file");
  auto entries = fs::directory_iterator(run.path(), code);
  for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
    const fs::path& entry = entries->path();
    const bool skeleton = entry.filename() == kLockFile || entry == run.given() ||
                          is_temporary(entry) ||
                          (entry == run.checkpoints() && fs::is_empty(entry, code));
    ADASSL_CHECK(skeleton, "[", name, "] already holds a run; resume it with 'adassl resume ", name,
                 "', or choose another --run");
  }
  ADASSL_CHECK(!code, "[", name, "] cannot be read: ", code.message());
}

}  // namespace

RunDirectory RunDirectory::create(const fs::path& path) {
  RunDirectory run(path);
  require_unused(run);
  run.make_folders();
  run.take_lock();
  require_unused(run);  // another process may have made and left its run between the two
  return run;
}

RunDirectory RunDirectory::open(const fs::path& path, Lock lock) {
  RunDirectory run(path);
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  ADASSL_CHECK(fs::exists(status), "[", path.string(), "] no such run directory");
  ADASSL_CHECK(fs::is_directory(status), "[", path.string(),
               "] expected a run directory, got a file");
  ADASSL_CHECK(fs::is_regular_file(run.config(), code), "[", path.string(),
               "] is not a run directory: no config.toml");
  if (lock == Lock::kYes) {
    run.make_folders();  // checkpoints/ may have been cleaned away
    run.take_lock();
  }
  return run;
}

fs::path RunDirectory::fresh_name(const fs::path& parent, const std::string& stem) {
  std::error_code code;
  fs::path name = parent / stem;
  for (int number = 2; fs::exists(fs::symlink_status(name, code)); ++number) {
    name = parent / join(stem, "-", number);
  }
  return name;
}

std::string RunDirectory::name() const {
  const fs::path folder = fs::absolute(config()).lexically_normal().parent_path();
  const std::string own = folder.filename().string();
  return own.starts_with("seed-") ? (folder.parent_path().filename() / own).string() : own;
}

void RunDirectory::make_folders() const {
  std::error_code code;
  fs::create_directories(checkpoints(), code);
  ADASSL_CHECK(!code, "[", path_.string(), "] cannot be made: ", code.message());
}

void RunDirectory::take_lock() {
  const fs::path name = path_ / kLockFile;
  lock_ = FileDescriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  const bool locked = lock_.is_open() && ::flock(lock_.number(), LOCK_EX | LOCK_NB) == 0;
  const int code = errno;
  ADASSL_CHECK(locked || code != EWOULDBLOCK, "[", path_.string(),
               "] is in use by another process");
  ADASSL_CHECK(locked, "[", path_.string(),
               "] cannot be locked: ", std::generic_category().message(code));
  // Nobody else writes here now.
  remove_temporaries(path_);
  remove_temporaries(checkpoints());
}

}  // namespace adassl::storage
