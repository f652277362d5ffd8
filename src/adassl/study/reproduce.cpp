#include "adassl/study/reproduce.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <list>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/run.h"
#include "adassl/training/interrupt.h"

namespace adassl::study {
namespace {

using Clock = std::chrono::steady_clock;

enum class Status { kNew, kUnfinished, kFinished };

Status status_of(const StudyRun& run) {
  if (!std::filesystem::exists(run.directory / "config.toml")) return Status::kNew;
  const Config present = Config::from_file(run.directory / "config.toml");
  const std::string difference = requested_config(run).difference_from(present);
  ADASSL_CHECK(difference.empty(), "[", run.directory.string(),
               "] holds a run of another configuration: ", difference,
               "; move it away or choose another --out");
  const auto directory =
      storage::RunDirectory::open(run.directory, storage::RunDirectory::Lock::kNo);
  return is_finished(directory) ? Status::kFinished : Status::kUnfinished;
}

std::vector<std::string> command(const StudyRun& run, Status status,
                                 const ReproduceOptions& options) {
  if (status == Status::kUnfinished) {
    return {options.program, "resume", run.directory, "--status-every", "2"};
  }
  std::vector<std::string> out = {options.program, "train",          run.config, "--run",
                                  run.directory,   "--status-every", "2"};
  out.insert(out.end(), run.overrides.begin(), run.overrides.end());
  out.push_back(fmt::format("compute.threads={}", options.threads));
  return out;
}

struct Child {
  pid_t pid = 0;
  int output = -1;
  std::string title;
  std::string pending;  // the beginning of a line
  std::string last_line;
  double fraction = 0;  // of its steps done
};

Child spawn(const std::vector<std::string>& arguments, std::string title) {
  int ends[2];
  ADASSL_CHECK(pipe(ends) == 0, "[reproduce] no pipe: ", std::strerror(errno));
  const pid_t pid = fork();
  ADASSL_CHECK(pid >= 0, "[reproduce] no process: ", std::strerror(errno));
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::vector<char*> argv;
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  Child child;
  child.pid = pid;
  child.output = ends[0];
  child.title = std::move(title);
  return child;
}

/// Shows what the children say, with the whole study's progress in front.
class Board {
 public:
  explicit Board(size_t total) : total_(total), terminal_(isatty(STDERR_FILENO) == 1) {}

  void finished(size_t count) { finished_ += count; }
  void start_clock() {
    start_ = Clock::now();
    finished_at_start_ = finished_;
  }

  void say(const Child& child, const std::string& line, double running_fraction) {
    const double done = static_cast<double>(finished_ - finished_at_start_) + running_fraction;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rest = static_cast<double>(total_ - finished_at_start_) - done;
    const std::string eta = done > 0.02 ? text::duration(seconds / done * rest) : "?";
    const std::string shown =
        fmt::format("[{}/{} done, ETA {}] {}: {}", finished_, total_, eta, child.title, line);
    std::cerr << (terminal_ ? "\r\x1b[K" : "") << shown << (terminal_ ? "" : "\n") << std::flush;
    open_ = terminal_;
  }
  void close_line() {
    if (open_) std::cerr << "\n";
    open_ = false;
  }

 private:
  size_t total_;
  bool terminal_;
  size_t finished_ = 0;
  size_t finished_at_start_ = 0;
  Clock::time_point start_ = Clock::now();
  bool open_ = false;
};

/// Reads what has come; false at the end of the output.
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
    if (std::sscanf(child.last_line.c_str(), "step %lld/%lld", &step, &steps) == 2 && steps > 0) {
      child.fraction = static_cast<double>(step) / static_cast<double>(steps);
    }
    const bool worth_showing =
        child.last_line.starts_with("step ") || child.last_line.starts_with("warning: ");
    if (worth_showing) on_line(child.last_line);
  }
  return true;
}

}  // namespace

ReproduceOutcome run_all(const std::vector<StudyRun>& runs, const ReproduceOptions& options) {
  ReproduceOutcome outcome;
  Board board(runs.size());
  std::vector<std::pair<const StudyRun*, Status>> waiting;
  for (const StudyRun& run : runs) {
    const Status status = status_of(run);
    if (status == Status::kFinished) {
      board.finished(1);
    } else {
      waiting.emplace_back(&run, status);
    }
  }
  std::reverse(waiting.begin(), waiting.end());  // taken from the back
  board.start_clock();
  std::list<Child> children;
  bool told = false;
  while (!waiting.empty() || !children.empty()) {
    if (const int signal = training::interrupted(); signal != 0 && !told) {
      outcome.signal = signal;
      waiting.clear();
      for (const Child& child : children) kill(child.pid, SIGTERM);
      told = true;
    }
    while (!waiting.empty() && static_cast<int64_t>(children.size()) < options.jobs) {
      const auto [run, status] = waiting.back();
      waiting.pop_back();
      children.push_back(
          spawn(command(*run, status, options), fmt::format("{}, seed {}", run->label, run->seed)));
    }
    std::vector<pollfd> polled;
    for (const Child& child : children) polled.push_back({child.output, POLLIN, 0});
    poll(polled.data(), polled.size(), 200);
    size_t index = 0;
    for (auto child = children.begin(); child != children.end(); ++index) {
      const bool ready = (polled[index].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
      const auto on_line = [&](const std::string& line) {
        double running = 0;
        for (const Child& other : children) running += other.fraction;
        board.say(*child, line, running);
      };
      if (!ready || listen(*child, on_line)) {
        ++child;
        continue;
      }
      int status = 0;
      close(child->output);
      waitpid(child->pid, &status, 0);
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (code == 0) {
        board.finished(1);
      } else if (outcome.signal == 0) {
        board.close_line();
        std::cerr << fmt::format("{} failed (exit code {}): {}\n", child->title, code,
                                 child->last_line);
        ++outcome.failed;
        outcome.users_mistake |= code == 2;
      }
      child = children.erase(child);
    }
  }
  board.close_line();
  return outcome;
}

}  // namespace adassl::study
