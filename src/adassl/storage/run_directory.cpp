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

/// Whether this is a temporary file of an atomic write, which a killed process leaves behind:
/// ".name.pid-n.tmp".
bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.ends_with(".tmp");
}

void remove_temporaries(const fs::path& folder) {
  std::error_code ignored;  // a temporary file that stays does no harm
  std::vector<fs::path> found;
  auto entries = fs::directory_iterator(folder, ignored);
  for (; !ignored && entries != fs::directory_iterator(); entries.increment(ignored)) {
    if (is_temporary(entries->path())) found.push_back(entries->path());
  }
  for (const fs::path& path : found) fs::remove(path, ignored);
}

/// Error unless the folder is missing or empty. A folder with only the skeleton of a run, whose
/// creation failed half-way, counts as empty. config.toml makes it a run: it is written last.
void require_no_run(const RunDirectory& run) {
  std::error_code code;
  const fs::file_status status = fs::status(run.path(), code);
  if (!fs::exists(status)) return;
  const std::string name = run.path().string();
  ADASSL_CHECK(fs::is_directory(status), "[", name, "] expected a folder, got a file");
  auto entries = fs::directory_iterator(run.path(), code);
  for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
    const fs::path& entry = entries->path();
    const bool skeleton = entry.filename() == kLockFile || entry == run.given() ||
                          entry == run.quarantine() || is_temporary(entry) ||
                          (entry == run.checkpoints() && fs::is_empty(entry, code));
    ADASSL_CHECK(skeleton || fs::exists(run.config(), code), "[", name,
                 "] is not empty; choose another --run");
    ADASSL_CHECK(skeleton, "[", name, "] already holds a run; resume it with 'adassl resume ", name,
                 "', or choose another --run");
  }
  if (code) throw ReadError(join("[", name, "] cannot be read: ", code.message()), code.value());
}

/// Locks an open file or folder for this process; 0, or an errno.
int locked(const FileDescriptor& file) {
  const bool ok = file.is_open() && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0;
  return ok ? 0 : errno;
}

}  // namespace

void RunDirectory::require_unused(const fs::path& path) {
  const RunDirectory run(path);
  run.require_own_files();
  require_no_run(run);
}

RunDirectory RunDirectory::create(const fs::path& path) {
  require_unused(path);
  RunDirectory run(path);
  make_folders(run.checkpoints());
  run.take_lock();
  require_no_run(run);  // another process may have made a run before we had the lock
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
    run.require_own_files();
    make_folders(run.checkpoints());  // somebody may have deleted it
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

void RunDirectory::take_lock() {
  // The folder itself is locked, because a lock file could be deleted, and then a second process
  // could lock a new one. Some network file systems lock only files that are open for writing;
  // there a lock file is the fallback.
  lock_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int code = locked(lock_);
  if (code == EBADF || code == EINVAL || code == ENOTSUP) {
    const fs::path name = path_ / kLockFile;
    lock_ = FileDescriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    code = locked(lock_);
  }
  ADASSL_CHECK(code != EWOULDBLOCK, "[", path_.string(), "] is in use by another process");
  if (code != 0) {
    throw ReadError(join("[", path_.string(), "] cannot be locked: ", reason(code)), code);
  }
  // While we hold the lock nobody else writes here, so these files were left by killed processes.
  remove_temporaries(path_);
  remove_temporaries(checkpoints());
}

/// Error if one of the run's files is a symbolic link: writing through it could change a file
/// outside the run.
void RunDirectory::require_own_files() const {
  for (const fs::path& path : {config(), given(), metrics(), descriptions(), records(), timing(),
                               status(), log(), checkpoints(), encoder(), quarantine(), report()}) {
    std::error_code code;
    ADASSL_CHECK(!fs::is_symlink(path, code), "[", path.string(),
                 "] is a symbolic link; a run keeps its files in its own folder");
  }
}

}  // namespace adassl::storage
