#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "adassl/data/order.h"
#include "adassl/data/source.h"

namespace adassl::data {

/// Defines the batches that a loader makes. `Order` chooses the pairs of step t; the randomness
/// within them comes from (seed, "pairs", t).
struct LoaderContext {
  const Source& source;
  uint64_t seed = 0;
  int64_t batch = 0;
  int64_t steps = 0;    // batches 0 ... steps - 1
  int64_t workers = 1;  // threads that prefetch batches; 0: take() makes each batch itself
  int64_t depth = 1;    // the number of batches to prefetch
};

/// Prefetches batches on threads of its own while earlier ones are trained on. The rows of every
/// batch are divided into shares, so that all workers work on the batch that is needed next. The
/// content of a batch depends neither on the number of workers nor on the prefetch depth. An
/// exception of a worker is rethrown by take() when the batch it belongs to is requested.
class Loader {
 public:
  explicit Loader(const LoaderContext& context);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// The batch of this step. It is already being prefetched if it follows the step taken before.
  Batch take(int64_t step);

 private:
  struct Pending;  // a batch that is being made
  std::shared_ptr<Pending> start(int64_t step) const;
  void make_share(Pending& pending, int64_t share) const;
  void work();

  LoaderContext context_;
  Order order_;
  int64_t share_rows_;
  std::mutex mutex_;
  std::condition_variable wanted_, made_;
  std::deque<std::shared_ptr<Pending>> pending_;  // in the order of their steps
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace adassl::data
