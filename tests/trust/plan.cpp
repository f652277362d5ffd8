#include "trust/plan.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace adassl::trust {
namespace {

struct Plan {
  std::string root;
  std::string until;
  std::string trace;
  unsigned kinds = 0;  // one bit each
  uint64_t at = 0;
  std::string action;
  int code = 0;  // the errno, where the action is one
  Counters* counters = nullptr;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int code_of(std::string_view name) {
  struct Named {
    const char* name;
    int code;
  };
  constexpr Named kCodes[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT},
                              {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN},
                              {"EACCES", EACCES}, {"EROFS", EROFS},   {"ENFILE", ENFILE}};
  for (const Named& known : kCodes) {
    if (name == known.name) return known.code;
  }
  return 0;
}

unsigned kinds_of(std::string_view names) {
  if (names == "any") return ~0U;
  unsigned out = 0;
  while (!names.empty()) {
    const size_t comma = names.find(',');
    for (size_t i = 0; i < kKinds; ++i) {
      if (names.substr(0, comma) == kKindNames[i]) out |= 1U << i;
    }
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  }
  return out;
}

/// System calls, not functions: those of this library would come here again.
Counters* map_counters(const std::string& path) {
  const auto file = syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  if (syscall(SYS_ftruncate, file, sizeof(Counters)) != 0) return nullptr;
  const auto address = syscall(SYS_mmap, nullptr, sizeof(Counters), PROT_READ | PROT_WRITE,
                               MAP_SHARED, file, off_t{0});
  syscall(SYS_close, file);
  return address == -1 ? nullptr : reinterpret_cast<Counters*>(address);
}

Plan read_plan() {
  Plan plan;
  plan.root = variable("ADASSL_FAULT_ROOT");
  plan.until = variable("ADASSL_FAULT_UNTIL");
  plan.trace = variable("ADASSL_FAULT_TRACE");
  plan.kinds = kinds_of(variable("ADASSL_FAULT_KIND"));
  plan.at = std::strtoull(variable("ADASSL_FAULT_AT").c_str(), nullptr, 10);
  plan.action = variable("ADASSL_FAULT_ACTION");
  plan.code = code_of(plan.action);
  if (!plan.root.empty()) plan.counters = map_counters(variable("ADASSL_FAULT_COUNTER"));
  return plan;
}

const Plan& plan() {
  static const Plan once = read_plan();
  return once;
}

bool concerns(Kind kind, const std::string& path) {
  if (plan().counters == nullptr) return false;
  if (kind == Kind::kFork) return true;
  const std::string& root = plan().root;
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

void remember(const std::string& path) {
  Counters& counters = *plan().counters;
  if (counters.fired.fetch_add(1) > 0) return;
  const size_t count = std::min(path.size(), counters.where.size() - 1);
  std::memcpy(counters.where.data(), path.data(), count);
}

/// Lines of several processes do not mix: each is one write to the end.
void trace(Kind kind, const std::string& path) {
  if (plan().trace.empty()) return;
  const std::string line = std::string(kKindNames[static_cast<size_t>(kind)]) + " " + path + "\n";
  const auto file = syscall(SYS_openat, AT_FDCWD, plan().trace.c_str(),
                            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line.data(), line.size());
  syscall(SYS_close, file);
}

}  // namespace

Verdict judge(Kind kind, const std::string& path) {
  if (!concerns(kind, path)) return Verdict::kPass;
  trace(kind, path);
  const auto index = static_cast<size_t>(kind);
  plan().counters->of_kind[index].fetch_add(1);
  if ((plan().kinds >> index & 1) == 0) return Verdict::kPass;
  const uint64_t number = plan().counters->selected.fetch_add(1) + 1;
  const bool lasting = !plan().until.empty() && number > plan().at && !exists(plan().until);
  if (plan().at == 0 || (number != plan().at && !lasting)) return Verdict::kPass;
  remember(path);
  const std::string& action = plan().action;
  if (action == "kill") die();
  if (action == "tear") return Verdict::kTear;
  if (action == "short") return Verdict::kShorten;
  if (action == "delay") {
    const timespec half_a_second{0, 500'000'000};
    nanosleep(&half_a_second, nullptr);
    return Verdict::kPass;
  }
  errno = plan().code;
  return Verdict::kFail;
}

std::string path_of(int file) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const auto count = syscall(SYS_readlink, link.c_str(), path, sizeof path);
  return count > 0 ? std::string(path, static_cast<size_t>(count)) : "";
}

std::string absolute(int folder, const char* path) {
  if (path == nullptr) return "";
  if (path[0] == '/') return path;
  char current[4096];
  const bool here = folder == AT_FDCWD && getcwd(current, sizeof current) != nullptr;
  return (here ? std::string(current) : path_of(folder)) + "/" + path;
}

bool exists(const std::string& path) {
  const int before = errno;
  const bool there = syscall(SYS_faccessat, AT_FDCWD, path.c_str(), F_OK) == 0;
  errno = before;
  return there;
}

void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

}  // namespace adassl::trust
