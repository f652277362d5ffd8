#include "cli/program.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;

pid_t start(const std::vector<std::string>& arguments, const fs::path& folder, const fs::path& out,
            const fs::path& err) {
  const pid_t process = fork();
  if (process != 0) return process;
  for (const int number : {SIGHUP, SIGINT, SIGTERM})
    signal(number, SIG_DFL);  // a shell's "&" ignores
  if (chdir(folder.c_str()) != 0) _exit(127);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>(ADASSL_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(ADASSL_PROGRAM, argv.data());
  _exit(127);
}

}  // namespace

Result run_program(const std::vector<std::string>& arguments, const fs::path& folder) {
  const TemporaryDirectory output;
  Result result;
  result.code = wait_for(start(arguments, folder, output.path() / "out", output.path() / "err"));
  result.out = bytes_of(output.path() / "out");
  result.err = bytes_of(output.path() / "err");
  return result;
}

pid_t start_program(const std::vector<std::string>& arguments, const fs::path& folder,
                    const fs::path& errors) {
  return start(arguments, folder, "/dev/null", errors);
}

int wait_for(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> small_train(const fs::path& run, const std::vector<std::string>& overrides,
                                     const std::string& config) {
  std::vector<std::string> out = {
      "train",
      (fs::path(ADASSL_SOURCE_DIR) / "configs" / (config + ".toml")).string(),
      "--run",
      run.string(),
      "train.batch=16",
      "train.steps=20",
      "train.probe_every=10",
      "compute.threads=1",
      "data.mixing_candidates=10",
      "evaluate.watch_pairs=16",
      "evaluate.probe_samples=64",
      "evaluate.suites=[\"regression\", \"utilisation\"]",
      "evaluate.regression.train_samples=128",
      "evaluate.regression.test_samples=128",
      "evaluate.utilisation.batch=32",
  };
  if (config != "numerical-complex-identity") out.emplace_back("encoder.hidden=[16, 16]");
  out.insert(out.end(), overrides.begin(), overrides.end());
  return out;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

size_t lines_in(const fs::path& path) {
  const std::string bytes = bytes_of(path);
  return static_cast<size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

bool is_running(pid_t process) {
  siginfo_t ended{};
  const bool asked =
      waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
  return asked && ended.si_pid != process;
}

void wait_for_lines(const fs::path& path, size_t lines, pid_t process) {
  wait_until(process, [&] { return lines_in(path) >= lines; });
}

}  // namespace adassl::testing
