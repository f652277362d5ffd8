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

/// Which batches a loader makes: that of step t has the pairs that the order says, and what is left
/// to chance in them comes from (seed, "pairs", t).
struct LoaderContext {
  const Source& source;
  uint64_t seed = 0;
  int64_t batch = 0;
  int64_t steps = 0;    // batches 0 ... steps - 1
  int64_t workers = 1;  // threads that make batches ahead; 0: each is made when it is asked for
  int64_t depth = 1;    // how many are made ahead
};

/// Makes batches ahead while others are trained on, on threads of its own. Every batch is cut into
/// shares of its rows, so that all workers work on the one that is needed next. The bytes do not
/// depend on how many workers there are, nor on how far they are ahead. What a worker throws is
/// thrown by take(), when the batch it belongs to is asked for.
class Loader {
 public:
  explicit Loader(const LoaderContext& context);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// The batch of this step. Steps that follow each other are already on their way.
  Batch take(int64_t step);

 private:
  struct Pending;  // a batch on its way
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
