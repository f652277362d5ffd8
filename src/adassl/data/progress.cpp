#include "adassl/data/progress.h"

#include <chrono>
#include <iostream>

#include "adassl/core/host.h"

namespace adassl::data {

Progress terminal_progress() {
  if (host::terminal_columns(2) == 0) return [](int64_t, int64_t, const std::string&) {};
  using Clock = std::chrono::steady_clock;
  return [last = Clock::now()](int64_t done, int64_t total, const std::string& what) mutable {
    const auto now = Clock::now();
    if (done < total && now - last < std::chrono::milliseconds(200)) return;
    last = now;
    std::cerr << "\r" << what << ": " << done << " of " << total;
    if (done == total) std::cerr << "\n";
    std::cerr.flush();
  };
}

}  // namespace adassl::data
