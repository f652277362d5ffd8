#include "adassl/kernels/threads.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "adassl/kernels/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace adassl::kernels {
namespace {

// About 50 microseconds, which is longer than the pauses between the phases of one kernel.
constexpr int kSpins = 4000;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Waits until `value` is no longer `old`: spins for a while, then sleeps.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

thread_local bool inside_a_task = false;

/// The job, its number of tasks and the next task, packed into one word. A thread takes a task by
/// compare-and-swap of this word, which succeeds only while the job is running. The caller
/// therefore never waits for a worker that has not woken up: on a busy machine it does the work
/// itself.
struct Ticket {
  static constexpr int kBits = 20;
  static constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;

  static uint64_t first(uint64_t job, uint64_t count) { return job << 2 * kBits | count << kBits; }
  static uint64_t count(uint64_t ticket) { return ticket >> kBits & kMask; }
  static uint64_t index(uint64_t ticket) { return ticket & kMask; }
  static uint64_t job(uint64_t ticket) { return ticket >> 2 * kBits; }
};

class Crew {
 public:
  ~Crew() { dismiss(); }

  void resize(int count) {
    const std::lock_guard lock(one_job_);
    if (count - 1 == static_cast<int>(workers_.size())) return;
    dismiss();
    leave_ = false;
    for (int i = 1; i < count; ++i) workers_.emplace_back([this] { work(); });
    size_ = count;
  }

  int size() const { return size_; }

  void run(int64_t count, detail::Task task, void* context) {
    std::unique_lock lock(one_job_, std::defer_lock);
    if (inside_a_task || count <= 1 || count > static_cast<int64_t>(Ticket::kMask) || size_ == 1 ||
        !lock.try_lock()) {
      const FlushDenormals flush;
      for (int64_t i = 0; i < count; ++i) task(context, i);
      return;
    }
    task_ = task;
    context_ = context;
    done_.store(0, std::memory_order_relaxed);
    const uint64_t job = Ticket::job(ticket_.load(std::memory_order_relaxed)) + 1;
    ticket_.store(Ticket::first(job, static_cast<uint64_t>(count)), std::memory_order_release);
    ticket_.notify_all();
    take_tasks();
    for (int64_t done = done_.load(std::memory_order_acquire); done != count;
         done = done_.load(std::memory_order_acquire)) {
      wait_while(done_, done);
    }
  }

 private:
  /// Runs tasks until none is left. Returns the ticket that showed this.
  uint64_t take_tasks() {
    const FlushDenormals flush;
    inside_a_task = true;
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (Ticket::index(ticket) < Ticket::count(ticket)) {
      if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
      task_(context_, static_cast<int64_t>(Ticket::index(ticket)));
      const auto all = static_cast<int64_t>(Ticket::count(ticket));
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == all) done_.notify_one();
      ticket = ticket_.load(std::memory_order_acquire);
    }
    inside_a_task = false;
    return ticket;
  }

  void work() {
    for (;;) {
      const uint64_t seen = take_tasks();
      if (leave_) return;  // checked after reading the ticket, so that no change is missed
      wait_while(ticket_, seen);
    }
  }

  void dismiss() {
    leave_ = true;
    ticket_.store(Ticket::first(Ticket::job(ticket_.load()) + 1, 0));
    ticket_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    size_ = 1;
  }

  std::mutex one_job_;
  std::vector<std::thread> workers_;
  std::atomic<uint64_t> ticket_{0};
  std::atomic<int64_t> done_{0};
  detail::Task task_ = nullptr;
  void* context_ = nullptr;
  std::atomic<bool> leave_{false};
  std::atomic<int> size_{1};  // including the caller
};

Crew& crew() {
  static Crew the_crew;
  return the_crew;
}

}  // namespace

void set_threads(int count) { crew().resize(std::max(1, count)); }

int threads() { return crew().size(); }

void detail::run_tasks(int64_t count, Task task, void* context) {
  choose_instruction_set();  // may throw Error, which a task must not
  if (count > 0) crew().run(count, task, context);
}

#if defined(__x86_64__)
FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
  _mm_setcsr(saved_ | 0x8040);  // flush results to zero, treat denormal operands as zero
}
FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }
#else
FlushDenormals::FlushDenormals() : saved_(0) {}
FlushDenormals::~FlushDenormals() = default;
#endif

}  // namespace adassl::kernels
