#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/core/config.h"
#include "adassl/core/random.h"
#include "adassl/data/ahead.h"
#include "adassl/data/samples/samples.h"
#include "adassl/data/views/view.h"

/// From samples to observations: how a set of samples looks through a view.
namespace adassl::data {

/// A sample in memory, from which several views are taken.
class Fetched {
 public:
  /// LostSample if it cannot be read.
  Fetched(const SampleSet& set, int64_t sample);

  /// One view of it: into `numbers` if samples are arrays, otherwise into `bytes`, which is
  /// [3, side, side] or [3, frames, side, side]. All frames of a clip are seen in the same way.
  void see(const View& view, random::Sequence& draws, std::span<float> numbers,
           std::span<uint8_t> bytes) const;

 private:
  std::vector<float> row_;
  std::vector<storage::Image> pictures_;
};

/// The shape of a view of these samples, and the type of its numbers.
std::vector<int64_t> observation_of(const SampleSet& set, const View& view);
Element element_of(const SampleSet& set);

/// How evaluations see images: as the view `plain` of the size that views of training have.
struct SeenOptions {
  int64_t test_crop = 0;
  int64_t test_shorter = 0;
  void visit(Fields& field);
};

/// The view `plain` of the size that `view` has, for evaluation.
std::shared_ptr<View> plain_view_like(const SampleSet& set, const View& view,
                                      const SeenOptions& seen = {});

/// The observations of these samples as `plain` sees them, [n, ...], made on all threads.
Array see_plainly(const SampleSet& set, const View& plain, std::span<const int64_t> samples);

/// The same as a job, to be made ahead. The set and the view have to outlive it.
Job<Array> job_of_seeing(const SampleSet& set, const View& plain, std::vector<int64_t> samples);

}  // namespace adassl::data
