/// A library for LD_PRELOAD that stands between the program and libc, and lets the n-th operation
/// on a file fail, fall short, take its time or kill the process. plan.h says how to ask for that.
///
/// The program's own code calls open, pwrite, fsync, rename, ...; libstdc++ calls fopen64, read,
/// write, writev, mkdir, openat and remove. Both go through the dynamic linker and end up here.

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "trust/plan.h"

namespace {

using adassl::trust::absolute;
using adassl::trust::judge;
using adassl::trust::Kind;
using adassl::trust::path_of;
using adassl::trust::Verdict;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool fails(Kind kind, const std::string& path) { return judge(kind, path) == Verdict::kFail; }

bool open_fails(int folder, const char* path, bool writes) {
  const std::string name = absolute(folder, path);
  if (writes) return fails(Kind::kCreate, name);
  // A file that is not there cannot be opened anyway; such questions do not count.
  return adassl::trust::exists(name) && fails(Kind::kOpen, name);
}

bool writes(int flags) { return (flags & (O_CREAT | O_ACCMODE)) != 0; }

/// `transfer(bytes)` moves so many bytes.
template <class Transfer>
ssize_t limited(Kind kind, int file, size_t bytes, const Transfer& transfer) {
  const Verdict verdict = judge(kind, path_of(file));
  if (verdict == Verdict::kFail) return -1;
  const bool half = verdict != Verdict::kPass && bytes > 1;
  const ssize_t moved = transfer(half ? bytes / 2 : bytes);
  if (verdict == Verdict::kTear) adassl::trust::die();
  return moved;
}

size_t size_of(const iovec* pieces, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  return bytes;
}

/// The first `bytes` bytes of the pieces.
std::vector<iovec> first_of(const iovec* pieces, int count, size_t bytes) {
  std::vector<iovec> out(pieces, pieces + count);
  for (iovec& piece : out) {
    piece.iov_len = std::min(piece.iov_len, bytes);
    bytes -= piece.iov_len;
  }
  return out;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

#define ADASSL_OPEN(NAME)                                                  \
  int NAME(const char* path, int flags, ...) {                             \
    va_list rest;                                                          \
    va_start(rest, flags);                                                 \
    const mode_t mode = mode_of(flags, rest);                              \
    va_end(rest);                                                          \
    if (open_fails(AT_FDCWD, path, writes(flags))) return -1;              \
    return next<int (*)(const char*, int, ...)>(#NAME)(path, flags, mode); \
  }
#define ADASSL_OPENAT(NAME)                                                             \
  int NAME(int folder, const char* path, int flags, ...) {                              \
    va_list rest;                                                                       \
    va_start(rest, flags);                                                              \
    const mode_t mode = mode_of(flags, rest);                                           \
    va_end(rest);                                                                       \
    if (open_fails(folder, path, writes(flags))) return -1;                             \
    return next<int (*)(int, const char*, int, ...)>(#NAME)(folder, path, flags, mode); \
  }
#define ADASSL_FOPEN(NAME)                                               \
  FILE* NAME(const char* path, const char* mode) {                       \
    if (open_fails(AT_FDCWD, path, mode[0] != 'r')) return nullptr;      \
    return next<FILE* (*)(const char*, const char*)>(#NAME)(path, mode); \
  }
#define ADASSL_AT_OFFSET(NAME, KIND, BUFFER)                                                    \
  ssize_t NAME(int file, BUFFER buffer, size_t bytes, off_t offset) {                           \
    return limited(KIND, file, bytes, [&](size_t count) {                                       \
      return next<ssize_t (*)(int, BUFFER, size_t, off_t)>(#NAME)(file, buffer, count, offset); \
    });                                                                                         \
  }
#define ADASSL_IN_SEQUENCE(NAME, KIND, BUFFER)                                   \
  ssize_t NAME(int file, BUFFER buffer, size_t bytes) {                          \
    return limited(KIND, file, bytes, [&](size_t count) {                        \
      return next<ssize_t (*)(int, BUFFER, size_t)>(#NAME)(file, buffer, count); \
    });                                                                          \
  }
#define ADASSL_IN_PIECES(NAME, KIND)                                                    \
  ssize_t NAME(int file, const iovec* pieces, int count) {                              \
    return limited(KIND, file, size_of(pieces, count), [&](size_t bytes) {              \
      const std::vector<iovec> cut = first_of(pieces, count, bytes);                    \
      return next<ssize_t (*)(int, const iovec*, int)>(#NAME)(file, cut.data(), count); \
    });                                                                                 \
  }
#define ADASSL_ON_FILE(NAME, KIND)             \
  int NAME(int file) {                         \
    if (fails(KIND, path_of(file))) return -1; \
    return next<int (*)(int)>(#NAME)(file);    \
  }
#define ADASSL_ON_PATH(NAME, KIND)                        \
  int NAME(const char* path) noexcept {                   \
    if (fails(KIND, absolute(AT_FDCWD, path))) return -1; \
    return next<int (*)(const char*)>(#NAME)(path);       \
  }
#define ADASSL_TRUNCATE(NAME)                             \
  int NAME(int file, off_t size) noexcept {               \
    if (fails(Kind::kTruncate, path_of(file))) return -1; \
    return next<int (*)(int, off_t)>(#NAME)(file, size);  \
  }
#define ADASSL_MMAP(NAME)                                                                          \
  void* NAME(void* address, size_t size, int access, int flags, int file, off_t offset) noexcept { \
    if (file >= 0 && fails(Kind::kMmap, path_of(file))) return MAP_FAILED;                         \
    return next<void* (*)(void*, size_t, int, int, int, off_t)>(#NAME)(address, size, access,      \
                                                                       flags, file, offset);       \
  }

extern "C" {

ADASSL_OPEN(open)
ADASSL_OPEN(open64)
ADASSL_OPENAT(openat)
ADASSL_OPENAT(openat64)
ADASSL_FOPEN(fopen)
ADASSL_FOPEN(fopen64)

ADASSL_IN_SEQUENCE(write, Kind::kWrite, const void*)
ADASSL_AT_OFFSET(pwrite, Kind::kWrite, const void*)
ADASSL_AT_OFFSET(pwrite64, Kind::kWrite, const void*)
ADASSL_IN_PIECES(writev, Kind::kWrite)
ADASSL_IN_SEQUENCE(read, Kind::kRead, void*)
ADASSL_AT_OFFSET(pread, Kind::kRead, void*)
ADASSL_AT_OFFSET(pread64, Kind::kRead, void*)
ADASSL_IN_PIECES(readv, Kind::kRead)

ADASSL_ON_FILE(fsync, Kind::kSync)
ADASSL_ON_FILE(fdatasync, Kind::kSync)
ADASSL_ON_PATH(unlink, Kind::kUnlink)
ADASSL_ON_PATH(remove, Kind::kUnlink)
ADASSL_ON_PATH(rmdir, Kind::kUnlink)
ADASSL_TRUNCATE(ftruncate)
ADASSL_TRUNCATE(ftruncate64)
ADASSL_MMAP(mmap)
ADASSL_MMAP(mmap64)

int unlinkat(int folder, const char* path, int flags) noexcept {
  if (fails(Kind::kUnlink, absolute(folder, path))) return -1;
  return next<int (*)(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int rename(const char* from, const char* to) noexcept {
  if (fails(Kind::kRename, absolute(AT_FDCWD, to))) return -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  if (fails(Kind::kRename, absolute(to_folder, to))) return -1;
  return next<int (*)(int, const char*, int, const char*)>("renameat")(from_folder, from, to_folder,
                                                                       to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (fails(Kind::kMkdir, absolute(AT_FDCWD, path))) return -1;
  return next<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  if (fails(Kind::kMkdir, absolute(folder, path))) return -1;
  return next<int (*)(int, const char*, mode_t)>("mkdirat")(folder, path, mode);
}

pid_t fork() noexcept { return fails(Kind::kFork, "fork") ? -1 : next<pid_t (*)()>("fork")(); }

/// A function that calls vfork must not return before the child has gone on; so this is a fork.
pid_t vfork() noexcept { return fork(); }

}  // extern "C"
