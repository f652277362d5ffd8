#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/images/cache_file.h"
#include "adassl/kernels/threads.h"
#include "adassl/storage/file.h"

namespace adassl::images {
namespace {

/// The unfinished file. It is locked as long as it is open.
class PartFile {
 public:
  PartFile(std::filesystem::path path, const CacheKey& key)
      : path_(std::move(path)),
        header_(header_of(key)),
        entries_(static_cast<size_t>(key.count)),
        end_(sizeof header_ + entries_.size() * sizeof(CacheEntry)) {
    file_ = storage::FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    require(file_.is_open() ? 0 : errno);
    lock();
  }

  /// Whether the file still has this name: another process may have finished and renamed it before
  /// we had the lock.
  bool is_there() const {
    struct stat own {
    }, named{};
    return ::fstat(file_.number(), &own) == 0 && ::stat(path_.c_str(), &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
  }
  void remove() const { ::unlink(path_.c_str()); }

  int64_t done() const { return static_cast<int64_t>(done_); }

  void append(const storage::Image& image) {
    const auto pixels = std::as_bytes(std::span(image.pixels));
    CacheEntry& entry = entries_[done_];
    entry = {end_, static_cast<uint32_t>(image.width), static_cast<uint32_t>(image.height),
             storage::short_sum(pixels)};
    if (image.width == 0 || image.height == 0) entry.width = entry.height = 0;
    ADASSL_CHECK(entry.size() == pixels.size(), "[cache] expected ", entry.size(),
                 " bytes for an RGB image of ", image.width, "x", image.height, ", got ",
                 pixels.size());
    write(pixels, end_);
    write(bytes_of(entry), sizeof header_ + done_ * sizeof entry);
    end_ += entry.size();
    ++done_;
  }

  void finish(const std::filesystem::path& as) {
    header_.bytes = end_;
    header_.index_sum = storage::short_sum(std::as_bytes(std::span(entries_)));
    header_.header_sum = sum_of(header_);
    write(bytes_of(header_), 0);
    require(::ftruncate(file_.number(), static_cast<off_t>(end_)) == 0 ? 0 : errno);
    sync();
    require(::rename(path_.c_str(), as.c_str()) == 0 ? 0 : errno);
    require(storage::sync_folder(as.parent_path()));
  }

  /// Keeps the images of an earlier attempt with the same key that are sound.
  void continue_or_begin() {
    struct stat facts {};
    require(::fstat(file_.number(), &facts) == 0 ? 0 : errno);
    const auto bytes = static_cast<uint64_t>(facts.st_size);
    CacheHeader found{};
    if (bytes >= end_ && read(&found, sizeof found, 0) &&
        std::ranges::equal(bytes_of(found), bytes_of(header_)) &&
        read(entries_.data(), entries_.size() * sizeof(CacheEntry), sizeof found)) {
      while (done_ < entries_.size() && is_sound(entries_[done_], bytes)) {
        end_ += entries_[done_].size();
        ++done_;
      }
    }
    std::fill(entries_.begin() + static_cast<ptrdiff_t>(done_), entries_.end(), CacheEntry{});
    write(bytes_of(header_), 0);
    write(std::as_bytes(std::span(entries_)), sizeof header_);
    require(::ftruncate(file_.number(), static_cast<off_t>(end_)) == 0 ? 0 : errno);
  }

 private:
  /// After a failure the kernel may have dropped what was written, and a later success would not
  /// show it. So the next attempt does not continue from this file.
  void sync() const {
    if (::fsync(file_.number()) == 0) return;
    const int code = errno;
    remove();
    require(code);
  }

  /// Waits until no other process builds the file.
  void lock() const {
    for (int attempt = 0; ::flock(file_.number(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
      if (errno == EINTR) continue;
      require(errno == EWOULDBLOCK ? 0 : errno);
      if (attempt == 0) {
        std::cerr << "waiting for another process that builds "
                  << std::filesystem::path(path_).replace_extension().string() << std::endl;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  bool is_sound(const CacheEntry& entry, uint64_t bytes) const {
    if (entry.offset != end_ || !is_inside(entry, entries_.size(), bytes)) return false;
    std::vector<std::byte> pixels(entry.size());
    return read(pixels.data(), pixels.size(), entry.offset) &&
           storage::short_sum(pixels) == entry.sum;
  }

  bool read(void* out, size_t count, uint64_t offset) const {
    auto* to = static_cast<std::byte*>(out);
    while (count > 0) {
      const ssize_t got = ::pread(file_.number(), to, count, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      offset += static_cast<uint64_t>(got);
      count -= static_cast<size_t>(got);
    }
    return true;
  }

  void write(std::span<const std::byte> bytes, uint64_t offset) const {
    require(storage::write_all_at(
        file_.number(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, offset));
  }

  void require(int code) const {
    if (code == 0) return;
    throw WriteError(join("[", path_.string(), "] cannot be written: ", storage::reason(code)),
                     code);
  }

  std::filesystem::path path_;
  CacheHeader header_;
  std::vector<CacheEntry> entries_;
  uint64_t end_;  // of the pixels that are stored
  size_t done_ = 0;
  storage::FileDescriptor file_;
};

/// Images `first` ... first + count - 1, made on all threads.
std::vector<storage::Image> make_some(int64_t first, int64_t count, const MakeImage& make,
                                      int64_t shorter) {
  std::vector<storage::Image> out(static_cast<size_t>(count));
  kernels::parallel_for_or_throw(count, [&](int64_t k) {
    out[static_cast<size_t>(k)] = at_working_size(make(first + k), shorter);
  });
  return out;
}

}  // namespace

void build_cache(const std::filesystem::path& path, const CacheKey& key, const MakeImage& make,
                 const CacheProgress& progress) {
  constexpr int64_t kMost = 1'000'000'000;
  constexpr int64_t kAtOnce = 32;
  ADASSL_CHECK(key.count >= 1 && key.count <= kMost, "[cache] expected 1 to ", kMost,
               " images, got ", key.count);
  ADASSL_CHECK(key.shorter >= 1 && key.shorter <= 1 << 15,
               "[cache] expected a working size from 1 to ", 1 << 15, ", got ", key.shorter);
  std::filesystem::path part = path;
  part += ".part";
  std::optional<PartFile> own;
  do {
    own.emplace(part, key);
  } while (!own->is_there());
  PartFile& file = *own;
  if (std::filesystem::exists(path)) return file.remove();  // another process has finished it
  file.continue_or_begin();
  while (file.done() < key.count) {
    const int64_t count = std::min(kAtOnce, key.count - file.done());
    for (const storage::Image& image : make_some(file.done(), count, make, key.shorter)) {
      file.append(image);
    }
    if (progress) progress(file.done());
  }
  file.finish(path);
}

}  // namespace adassl::images
