#include "adassl/storage/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/storage/many_files.h"

namespace adassl::storage {
namespace {

constexpr size_t kLargestTransfer = size_t{1} << 30;  // Linux moves at most 2 GiB a call
constexpr size_t kSmallPiece = size_t{1} << 20;

template <class Call>
auto without_interrupts(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// A new file beside `path`; removed again unless it was renamed to its final name.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& path) {
    static std::atomic<uint64_t> count{0};
    for (;;) {  // a killed process with the same id may have left such a file
      name_ = path.parent_path() /
              join(".", path.filename().string(), ".", ::getpid(), "-", count.fetch_add(1), ".tmp");
      file_ = FileDescriptor(without_interrupts(
          [&] { return ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
      if (file_.is_open() || errno != EEXIST) return;
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (is_open() && !renamed_) ::unlink(name_.c_str());
  }

  bool is_open() const { return file_.is_open(); }
  int number() const { return file_.number(); }
  int rename_to(const std::filesystem::path& path) {
    if (::rename(name_.c_str(), path.c_str()) != 0) return errno;
    renamed_ = true;
    return 0;
  }

 private:
  std::filesystem::path name_;
  FileDescriptor file_;
  bool renamed_ = false;
};

int sync(int file) {
  return without_interrupts([&] { return ::fsync(file); }) == 0 ? 0 : errno;
}

/// What is not durable is written in full, but may be lost when the machine fails.
int replace(const std::filesystem::path& path, std::span<const std::string_view> pieces,
            bool durable) {
  Temporary temporary(path);
  if (!temporary.is_open()) return errno;
  uint64_t offset = 0;
  std::string joined;  // collects small pieces, for fewer system calls
  const auto write = [&](std::string_view bytes) {
    const int code = write_all_at(temporary.number(), bytes, offset);
    offset += bytes.size();
    return code;
  };
  for (const std::string_view piece : pieces) {
    if (joined.size() + piece.size() > kSmallPiece) {
      if (const int code = write(joined)) return code;
      joined.clear();
    }
    if (piece.size() > kSmallPiece) {
      if (const int code = write(piece)) return code;
    } else {
      joined += piece;
    }
  }
  if (const int code = write(joined)) return code;
  if (durable) {
    if (const int code = sync(temporary.number())) return code;
  }
  if (const int code = temporary.rename_to(path)) return code;
  return durable ? sync_folder(path.parent_path()) : 0;
}

void require_written(const std::filesystem::path& path, int code) {
  if (code != 0) {
    throw WriteError(join("[", path.string(), "] cannot be written: ", reason(code)), code);
  }
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (is_open()) ::close(number_);
}

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()) {
  // With O_NONBLOCK, opening a named pipe does not block; it is refused below.
  file_ = FileDescriptor(
      without_interrupts([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  require_read(file_.is_open());
  struct stat status {};
  require_read(::fstat(file_.number(), &status) == 0);
  ADASSL_CHECK(S_ISREG(status.st_mode), "[", name_, "] expected a file, got a ",
               S_ISDIR(status.st_mode) ? "folder" : "special file");
  size_ = static_cast<uint64_t>(status.st_size);
}

void InputFile::require_read(bool ok) const {
  const int code = errno;
  if (ok) return;
  throw ReadError(code == ENOENT ? join("[", name_, "] no such file")
                                 : join("[", name_, "] cannot be read: ", reason(code)),
                  code);
}

void InputFile::read_at(uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = without_interrupts([&] {
      return ::pread(file_.number(), out.data(), std::min(out.size(), kLargestTransfer),
                     static_cast<off_t>(offset));
    });
    require_read(count >= 0);
    ADASSL_CHECK(count > 0, "[", name_, "] ended early, at ", offset, " of ", size_,
                 " bytes: did it shrink while being read?");
    offset += static_cast<uint64_t>(count);
    out = out.subspan(static_cast<size_t>(count));
  }
}

std::string read_file(const std::filesystem::path& path, uintmax_t max_bytes) {
  const InputFile file(path);
  ADASSL_CHECK(file.size() <= max_bytes, "[", path.string(), "] expected at most ",
               text::bytes(static_cast<double>(max_bytes)), ", got ",
               text::bytes(static_cast<double>(file.size())));
  std::string bytes(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

void write_atomically(const std::filesystem::path& path, std::string_view bytes) {
  write_atomically(path, std::span(&bytes, 1));
}

void write_atomically(const std::filesystem::path& path, std::span<const std::string_view> pieces) {
  require_written(path, replace(path, pieces, /*durable=*/true));
}

void write_without_sync(const std::filesystem::path& path, std::string_view bytes) {
  require_written(path, replace(path, std::span(&bytes, 1), /*durable=*/false));
}

void sync_file_system(const std::filesystem::path& folder) {
  const FileDescriptor opened(without_interrupts(
      [&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!opened.is_open() || ::syncfs(opened.number()) != 0) require_written(folder, errno);
}

struct OutputFile::State {
  explicit State(const std::filesystem::path& path) : temporary(path) {}

  /// Writes what was collected; returns 0, or the errno of a failure.
  int flush() {
    const int code = write_all_at(temporary.number(), collected, offset);
    offset += collected.size();
    collected.clear();
    return code;
  }

  Temporary temporary;
  std::string collected;  // for fewer system calls
  uint64_t offset = 0;
};

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path), state_(std::make_unique<State>(path)) {
  require(state_->temporary.is_open() ? 0 : errno);
}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

void OutputFile::require(int code) const { require_written(path_, code); }

void OutputFile::append(std::string_view bytes) {
  state_->collected += bytes;
  if (state_->collected.size() >= kSmallPiece) require(state_->flush());
}

void OutputFile::finish() {
  require(state_->flush());
  require(sync(state_->temporary.number()));
  require(state_->temporary.rename_to(path_));
  require(sync_folder(path_.parent_path()));
}

void replace_without_sync(const std::filesystem::path& path, std::string_view bytes) {
  Temporary temporary(path);
  if (temporary.is_open() && write_all_at(temporary.number(), bytes, 0) == 0) {
    temporary.rename_to(path);
  }
}

int write_all_at(int file, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = without_interrupts([&] {
      return ::pwrite(file, bytes.data(), std::min(bytes.size(), kLargestTransfer),
                      static_cast<off_t>(offset));
    });
    if (count < 0) return errno;
    if (count == 0) return EIO;  // never happens for a regular file; avoids an endless loop
    offset += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

std::string reason(int code) { return std::generic_category().message(code); }

int sync_folder(const std::filesystem::path& folder) {
  const std::filesystem::path name = folder.empty() ? "." : folder;
  const FileDescriptor opened(
      without_interrupts([&] { return ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!opened.is_open()) return 0;
  const int code = sync(opened.number());
  return code == EINVAL || code == ENOTSUP ? 0 : code;
}

void make_folders(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> missing;
  std::error_code code;
  for (auto path = folder; !path.empty() && !std::filesystem::exists(path, code);
       path = path.parent_path()) {
    missing.push_back(path);
  }
  for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
    // It is no error if another process created it first.
    const bool own = std::filesystem::create_directory(*path, code);
    int number = code.value();
    if (number == 0) number = sync_folder(path->parent_path());
    if (number != 0) {
      // What may be lost must not be found when the user tries again: it would not be synced.
      if (own) std::filesystem::remove(*path, code);
      throw WriteError(join("[", folder.string(), "] cannot be made: ", reason(number)), number);
    }
  }
}

}  // namespace adassl::storage
