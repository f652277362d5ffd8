#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

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
/// zero. `work` must not throw: an exception ends the program (parallel_for_or_throw). If the call
/// comes from within a task, or while a call of another thread is running, the caller does all the
/// work alone.
template <class Work>
void parallel_for(int64_t count, Work&& work) {
  using Plain = std::remove_reference_t<Work>;
  detail::run_tasks(
      count, [](void* context, int64_t index) noexcept { (*static_cast<Plain*>(context))(index); },
      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

/// The same for work that may throw, as all work does that takes memory or reads files. The other
/// tasks run all the same. If several of them throw, the exception of the first one, by its number,
/// is rethrown to the caller.
template <class Work>
void parallel_for_or_throw(int64_t count, Work&& work) {
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(count));
  parallel_for(count, [&](int64_t index) {
    try {
      work(index);
    } catch (...) {
      thrown[static_cast<size_t>(index)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
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
