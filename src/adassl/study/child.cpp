#include "adassl/study/child.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adassl/core/error.h"

namespace adassl::study {

Child spawn(const std::vector<std::string>& arguments, std::string title) {
  int ends[2];
  ADASSL_CHECK(pipe2(ends, O_CLOEXEC) == 0, "[reproduce] no pipe: ", std::strerror(errno));
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // should we be killed, it saves and stops
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    // The very file that runs now, even if a new build has replaced it meanwhile.
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(ends[1]);
  if (pid < 0) close(ends[0]);
  ADASSL_CHECK(pid > 0, "[reproduce] no process: ", std::strerror(errno));
  Child child;
  child.pid = pid;
  child.output = ends[0];
  child.title = std::move(title);
  return child;
}

bool listen(Child& child, const std::function<void(const std::string&)>& on_line) {
  char buffer[4096];
  const ssize_t count = read(child.output, buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  child.pending.append(buffer, static_cast<size_t>(count));
  for (size_t end = child.pending.find('\n'); end != std::string::npos;
       end = child.pending.find('\n')) {
    child.last_line = child.pending.substr(0, end);
    child.pending.erase(0, end + 1);
    long long step = 0;
    long long steps = 0;
    const bool progress =
        std::sscanf(child.last_line.c_str(), "step %lld/%lld", &step, &steps) == 2 && steps > 0;
    if (progress) {
      child.fraction = static_cast<double>(step) / static_cast<double>(steps);
      if (child.first_fraction < 0) child.first_fraction = child.fraction;
    }
    const bool told =
        child.last_line.starts_with("warning: ") || child.last_line.starts_with("evaluating ");
    if (progress || told) on_line(child.last_line);
  }
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
