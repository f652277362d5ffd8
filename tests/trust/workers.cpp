#include "trust/workers.h"

#include <atomic>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trust/process.h"

namespace adassl::trust {
namespace {

struct Shared {
  std::atomic<size_t> next;
  std::atomic<double> sum;
};

Report attempt(const std::function<Report(size_t)>& task, size_t index) {
  try {
    return task(index);
  } catch (const std::exception& error) {
    return {std::string("the harness failed: ") + error.what(), 0, ""};
  }
}

/// Tells each report as one line of JSON.
void work(Shared& shared, size_t tasks, int channel, const std::function<Report(size_t)>& task,
          const std::function<bool(double)>& enough) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  while (!enough(shared.sum)) {
    const size_t index = shared.next.fetch_add(1);
    if (index >= tasks) return;
    const Report report = attempt(task, index);
    shared.sum.fetch_add(report.number);
    const nlohmann::json line = {report.violation, report.number, report.note};
    const std::string text =
        line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (write(channel, text.data(), text.size()) < 0) return;
  }
}

void show_progress(size_t done, size_t tasks, double sum, const Report& report) {
  if (!report.violation.empty()) {
    std::cout << "not held: " << report.violation.substr(0, 120) << " ..." << std::endl;
  }
  if (done % 20 != 0 && done != tasks) return;
  std::cout << done << " of at most " << tasks << " done, sum " << sum << std::endl;
}

}  // namespace

std::vector<Report> work_through(size_t tasks, size_t jobs,
                                 const std::function<Report(size_t)>& task,
                                 const std::function<bool(double)>& enough) {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int ends[2];
  if (memory == MAP_FAILED || pipe(ends) != 0) throw std::bad_alloc();
  auto* shared = new (memory) Shared{};
  std::vector<pid_t> workers;
  for (size_t i = 0; i < jobs; ++i) {
    std::cout.flush();
    workers.push_back(fork());
    if (workers.back() != 0) continue;
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work(*shared, tasks, ends[1], task, enough);
    _exit(0);
  }
  close(ends[1]);
  std::vector<Report> reports;
  FILE* lines = fdopen(ends[0], "r");
  char* line = nullptr;
  size_t capacity = 0;
  while (getline(&line, &capacity, lines) > 0) {
    const auto fields = nlohmann::json::parse(line);
    reports.push_back({fields[0], fields[1], fields[2]});
    show_progress(reports.size(), tasks, shared->sum, reports.back());
  }
  free(line);
  fclose(lines);
  for (const pid_t worker : workers) waitpid(worker, nullptr, 0);
  munmap(memory, sizeof(Shared));
  return reports;
}

}  // namespace adassl::trust
