#pragma once

#include <string>
#include <vector>

#include "adassl/evaluation/groups_of_r.h"
#include "adassl/study/nearest_samples.h"

/// What a model retrieves for a sample if groups of the dimensions of r are sampled one at a time.
namespace adassl::study {

/// For one sample x, the samples of a gallery that are nearest to predictions of its partner. The
/// sample x itself is not looked at.
struct Controlled {
  struct Row {
    std::string name;  // of the group that is sampled
    std::vector<Nearest::Other> found;
  };
  int64_t sample = 0;
  std::vector<Nearest::Other> neighbours;  // nearest to its own embedding, without any r
  Nearest::Other still;                    // with r at its expectation
  std::vector<Row> rows;                   // a group each, and at last all of r
};

struct ControlledOptions {
  std::vector<std::string> queries;  // names of samples; where empty, `rows` that are spread evenly
  int64_t rows = 3;
  int64_t draws = 5;   // and as many neighbours
  int64_t groups = 6;  // at most so many, those that move predictions most
  uint64_t seed = 1;
};

/// The groups of the newest record of kind "control", named after factors or, where they change no
/// factor, by their dimensions; none if the run has no such record.
std::vector<evaluation::GroupOfR> recorded_groups(const storage::RunDirectory& run);

/// Samples the given groups or, if there are none, groups that are found with samples of the
/// gallery. Error if the method cannot sample r.
std::vector<Controlled> controlled_samples(const Restored& model, const SeenSamples& gallery,
                                           const ControlledOptions& options,
                                           std::vector<evaluation::GroupOfR> groups);

}  // namespace adassl::study
