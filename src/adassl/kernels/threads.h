#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

/// The threads that all kernels share.
///
/// Results never depend on their number: a kernel cuts its work into tasks by the sizes of its
/// arguments alone, each task writes to places of its own, and what tasks have in common is summed
/// in a fixed order afterwards. Who runs which task is left to chance.
namespace adassl::kernels {

/// How many threads work on a kernel, the caller included. One until somebody asks for more.
void set_threads(int count);
int threads();

namespace detail {
using Task = void (*)(void* context, int64_t index) noexcept;
void run_tasks(int64_t count, Task task, void* context);
}  // namespace detail

/// work(0), ..., work(count - 1), in any order and by any thread, with denormals flushed to zero.
/// `work` must not throw: that ends the program. Inside of a task, or while another thread's call
/// is on its way, the caller does all of it alone.
template <class Work>
void parallel_for(int64_t count, Work&& work) {
  using Plain = std::remove_reference_t<Work>;
  detail::run_tasks(
      count, [](void* context, int64_t index) noexcept { (*static_cast<Plain*>(context))(index); },
      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

/// Flushes denormals to zero on this thread while it lives: one denormal costs a hundred cycles.
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
