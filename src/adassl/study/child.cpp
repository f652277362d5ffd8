#include "adassl/study/child.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adassl/core/error.h"

namespace adassl::study {

Child spawn(const std::vector<std::string>& arguments, std::string title) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Failure(join("cannot create a pipe: ", std::strerror(errno)));
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  // Signals stay blocked until the child has reset the handlers that it inherits: a signal before
  // that would be lost.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      if (std::signal(number, SIG_DFL) == SIG_IGN) std::signal(number, SIG_IGN);
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // if we are killed, the child saves and stops
    if (getppid() != parent) _exit(128 + SIGTERM);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    // This executes the file that is running now, even if a new build has replaced it meanwhile.
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  const int code = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    throw Failure(join("cannot start a process: ", std::strerror(code)));
  }
  Child child;
  child.pid = pid;
  child.output = ends[0];
  child.title = std::move(title);
  return child;
}

bool listen(Child& child, const std::function<void(const std::string&)>& on_warning) {
  char buffer[4096];
  const ssize_t count = read(child.output, buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  child.pending.append(buffer, static_cast<size_t>(count));
  for (size_t end = child.pending.find('\n'); end != std::string::npos;
       end = child.pending.find('\n')) {
    child.last_line = child.pending.substr(0, end);
    child.pending.erase(0, end + 1);
    if (child.last_line.starts_with("warning: ")) on_warning(child.last_line);
  }
  return true;
}

bool look(Child& child) {
  const auto status = storage::read_status(child.status);
  if (!status || *status == child.shown) return false;
  child.shown = *status;
  if (child.first_fraction < 0) child.first_fraction = status->fraction();
  return true;
}

int reap(const Child& child) {
  close(child.output);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace adassl::study
