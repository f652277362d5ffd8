#pragma once

#include <cstdio>
#include <exception>
#include <string>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace adassl::testing {

/// Runs `call` in a forked process, so that its limits and locks do not affect the tests. Returns
/// the error message that `call` returns, or how the process died.
template <class Call>
std::string in_child(Call call) {
  int channel[2];
  if (::pipe(channel) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string complaint;
    try {
      complaint = call();
    } catch (const std::exception& error) {
      complaint = error.what();
    }
    const ssize_t written = ::write(channel[1], complaint.data(), complaint.size());
    ::_exit(written == static_cast<ssize_t>(complaint.size()) ? 0 : 1);
  }
  ::close(channel[1]);
  std::string complaint;
  char buffer[256];
  for (ssize_t count = 0; (count = ::read(channel[0], buffer, sizeof buffer)) > 0;) {
    complaint.append(buffer, static_cast<size_t>(count));
  }
  ::close(channel[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) complaint += " (the child died)";
  return complaint;
}

/// Simulates a full disk: no file can grow beyond `bytes`. It sets only the soft limit, which can
/// be raised again.
inline void limit_file_size(rlim_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

/// Becomes an unprivileged user, since root may read and write everything. For use within
/// in_child().
inline void drop_privileges() {
  if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(1);
}

}  // namespace adassl::testing
