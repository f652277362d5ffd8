#include "adassl/bench/in_child.h"

#include <cerrno>
#include <cstring>
#include <exception>

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adassl/core/error.h"

/// The child writes its number, or the message of an exception, to a pipe. Its exit code says which
/// of the two it is.
namespace adassl::bench {
namespace {

constexpr int kThrew = 1;

[[noreturn]] void be_child(const std::function<double()>& compute, int seconds, int pipe) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int fault : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM, SIGINT, SIGTERM}) {
    signal(fault, SIG_DFL);
  }
  alarm(static_cast<unsigned>(seconds));
  const auto send = [&](const void* bytes, size_t count, int code) {
    const bool sent = write(pipe, bytes, count) == static_cast<ssize_t>(count);
    _exit(sent ? code : kThrew);
  };
  try {
    const double number = compute();
    send(&number, sizeof number, 0);
  } catch (const std::exception& error) {
    send(error.what(), std::strlen(error.what()), kThrew);
  } catch (...) {
  }
  _exit(kThrew);
}

/// Everything that is written to the pipe until its other end is closed.
std::string read_all(int pipe) {
  std::string out;
  char buffer[512];
  for (;;) {
    const ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return out;
    out.append(buffer, static_cast<size_t>(count));
  }
}

std::string failure_of(int status, const std::string& message, int seconds) {
  if (!WIFSIGNALED(status)) return one_line(message.substr(0, message.find('\n')));
  const int fault = WTERMSIG(status);
  if (fault == SIGALRM) return fmt::format("took longer than {} s", seconds);
  return fmt::format("crashed ({})", strsignal(fault));
}

}  // namespace

FromChild in_child(const std::function<double()>& compute, int seconds) {
  int ends[2];
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw Failure(join("[bench] there is no ", what, ": ", std::strerror(errno)));
  };
  require(pipe(ends) == 0, "pipe");
  const pid_t child = fork();
  require(child >= 0, "child process");
  if (child == 0) {
    close(ends[0]);
    be_child(compute, seconds, ends[1]);
  }
  close(ends[1]);
  const std::string message = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
    if (errno != EINTR) return {{}, "its end could not be waited for"};
  }
  const bool told = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!told || message.size() != sizeof(double)) {
    return {{}, failure_of(status, message, seconds)};
  }
  double number = 0;
  std::memcpy(&number, message.data(), sizeof number);
  return {number, ""};
}

}  // namespace adassl::bench
