#include "adassl/kernels/threads.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace adassl::kernels {
namespace {

constexpr int kSpins = 4000;  // about 50 microseconds: phases of one kernel follow each other faster

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Waits until `value` is no longer `old`: awake for a while, then asleep.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

thread_local bool inside_a_task = false;

class Crew {
 public:
  ~Crew() { dismiss(); }

  void resize(int count) {
    const std::lock_guard lock(one_job_);
    if (count - 1 == static_cast<int>(workers_.size())) return;
    dismiss();
    leave_ = false;
    const uint64_t seen = round_.load();
    for (int i = 1; i < count; ++i) workers_.emplace_back([this, seen] { work(seen); });
  }

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  void run(int64_t count, detail::Task task, void* context) {
    std::unique_lock lock(one_job_, std::try_to_lock);
    if (inside_a_task || count <= 1 || !lock.owns_lock() || workers_.empty()) {
      const FlushDenormals flush;
      for (int64_t i = 0; i < count; ++i) task(context, i);
      return;
    }
    task_ = task;
    context_ = context;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    take_tasks();
    for (int left = busy_.load(std::memory_order_acquire); left != 0;
         left = busy_.load(std::memory_order_acquire)) {
      wait_while(busy_, left);
    }
  }

 private:
  void take_tasks() {
    const FlushDenormals flush;
    inside_a_task = true;
    for (int64_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) task_(context_, i);
    inside_a_task = false;
  }

  void work(uint64_t seen) {
    for (;;) {
      wait_while(round_, seen);
      ++seen;
      if (leave_) return;
      take_tasks();
      if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
  }

  void dismiss() {
    leave_ = true;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  std::mutex one_job_;
  std::vector<std::thread> workers_;
  std::atomic<uint64_t> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<int64_t> next_{0};
  int64_t count_ = 0;
  detail::Task task_ = nullptr;
  void* context_ = nullptr;
  bool leave_ = false;
};

Crew& crew() {
  static Crew the_crew;
  return the_crew;
}

}  // namespace

void set_threads(int count) { crew().resize(std::max(1, count)); }

int threads() { return crew().size(); }

void detail::run_tasks(int64_t count, Task task, void* context) {
  if (count > 0) crew().run(count, task, context);
}

#if defined(__x86_64__)
FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
  _mm_setcsr(saved_ | 0x8040);  // flush results to zero, take denormal operands for zero
}
FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }
#else
FlushDenormals::FlushDenormals() : saved_(0) {}
FlushDenormals::~FlushDenormals() = default;
#endif

}  // namespace adassl::kernels
