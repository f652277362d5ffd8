#pragma once

#include <atomic>
#include <cerrno>

#include <sys/syscall.h>
#include <unistd.h>

/// Takes the place of fsync and fdatasync in a test program, so that they can fail as on a disk
/// that is broken. To be included in one file of a program.
namespace adassl::testing {

inline std::atomic<int> syncs = 0;  // since the last call of fail_sync
inline std::atomic<int> failing_from = 0, failing_until = 0;

/// Of the next syncs the n-th fails, and `count - 1` after it.
inline void fail_sync(int n, int count = 1) {
  syncs = 0;
  failing_from = n;
  failing_until = n + count;
}

inline int sync_or_fail(long call, int file) {
  const int number = ++syncs;
  if (number >= failing_from && number < failing_until) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(call, file));
}

}  // namespace adassl::testing

extern "C" int fsync(int file) { return adassl::testing::sync_or_fail(SYS_fsync, file); }
extern "C" int fdatasync(int file) { return adassl::testing::sync_or_fail(SYS_fdatasync, file); }
