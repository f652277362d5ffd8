#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

/// Files that are read whole and written whole. A write either replaces the file or leaves the old
/// one as it was: a full disk or a killed process never leaves half a file behind.
namespace adassl::storage {

/// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// A regular file opened for reading; its size is that at opening time. ReadError when the system
/// refuses, Error when it is no regular file or ends too early.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);

  uint64_t size() const { return size_; }
  /// Fills `out` with the bytes from `offset` on; Error when the file ends too early.
  void read_at(uint64_t offset, std::span<std::byte> out) const;

 private:
  void require_read(bool ok) const;

  std::string name_;
  FileDescriptor file_;
  uint64_t size_ = 0;
};

/// The whole file; Error when it is larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path, uintmax_t max_bytes);

/// Replaces the file, durably: temporary beside it, fsync, rename, fsync of the folder. WriteError
/// when that fails.
void write_atomically(const std::filesystem::path& path, std::string_view bytes);
/// The pieces one after the other, so that large tensors need not be joined first.
void write_atomically(const std::filesystem::path& path, std::span<const std::string_view> pieces);

/// A file that is written piece by piece, in constant memory. It replaces the file of this name,
/// durably, when finish() is called; until then, and if that never happens, the old file stays.
class OutputFile {
 public:
  /// WriteError when there can be no file beside `path`.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  void append(std::string_view bytes);
  void finish();

 private:
  struct State;
  void require(int code) const;

  std::filesystem::path path_;
  std::unique_ptr<State> state_;
};

/// Replaces the file without waiting for the disk, for content that may be lost. A failure is
/// ignored and leaves the old file.
void replace_without_sync(const std::filesystem::path& path, std::string_view bytes);

/// Writes all bytes at `offset` and continues after interrupts and short writes. Returns 0, or the
/// errno of a failure.
int write_all_at(int file, std::string_view bytes, uint64_t offset);

/// The message for an errno.
std::string reason(int code);

/// Makes the creation, renaming and removal of files in a folder durable. Returns 0, or the errno
/// of a failure. A folder that cannot be opened or does not support fsync (some network file
/// systems) is no failure.
int sync_folder(const std::filesystem::path& folder);

/// Creates the folder and the ones above it, durably. Error when that fails.
void make_folders(const std::filesystem::path& folder);

}  // namespace adassl::storage
