#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

/// The threads that all kernels share.
///
/// Results never depend on the number of threads. A kernel divides its work into tasks according to
/// the sizes of its arguments alone, each task writes to memory of its own, and partial sums are
/// added in a fixed order afterwards. It is not determined which thread runs which task.
namespace adassl::kernels {

/// The number of threads that work on a kernel, including the caller. It is initially one.
void set_threads(int count);
int threads();

namespace detail {
using Task = void (*)(void* context, int64_t index) noexcept;
void run_tasks(int64_t count, Task task, void* context);
}  // namespace detail

/// Calls work(0), ..., work(count - 1) in any order and on any thread, with denormals flushed to
/// zero. `work` must not throw: an exception ends the program. If the call comes from within a
/// task, or while a call of another thread is running, the caller does all the work alone.
template <class Work>
void parallel_for(int64_t count, Work&& work) {
  using Plain = std::remove_reference_t<Work>;
  detail::run_tasks(
      count, [](void* context, int64_t index) noexcept { (*static_cast<Plain*>(context))(index); },
      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

/// Flushes denormals to zero on this thread as long as the object lives. An operation on a denormal
/// costs a hundred cycles.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_;
};

}  // namespace adassl::kernels
