#pragma once

#include <cstdint>

#include "adassl/data/ahead.h"
#include "adassl/data/order.h"
#include "adassl/data/source.h"

namespace adassl::data {

/// Defines the batches that a loader makes. `Order` chooses the pairs of step t; the randomness
/// within them comes from (seed, "pairs", t).
struct LoaderContext {
  const Source& source;
  uint64_t seed = 0;
  int64_t batch = 0;
  int64_t steps = 0;  // batches 0 ... steps - 1
  Prefetch prefetch = {};
};

/// Makes the batches of training ahead, while earlier ones are trained on. The rows of every batch
/// are divided into as many shares as there are workers, so that all of them work on the batch that
/// is needed next.
class Loader {
 public:
  explicit Loader(const LoaderContext& context);

  /// The batch of this step.
  Batch take(int64_t step) { return batches_.take(step); }

 private:
  Ahead<Batch> batches_;
};

/// The other data that are made ahead: what Source::pairs and Source::samples_from return. The
/// source has to outlive the job.
Job<Batch> job_of_pairs(const Source& source, const random::Stream& stream, int64_t count,
                        int64_t first = 0);
Job<Samples> job_of_samples(const Source& source, const std::string& population,
                            const random::Stream& stream, int64_t first, int64_t count);

}  // namespace adassl::data
