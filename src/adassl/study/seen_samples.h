#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/data/samples/samples.h"
#include "adassl/data/views/view.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/restore.h"

/// A trained model and files that it may never have seen: what embed, neighbours and probe work on.
namespace adassl::study {

/// The samples of a path, seen as the evaluations of a run see theirs.
struct SeenSamples {
  std::shared_ptr<data::SampleSet> set;
  std::shared_ptr<data::View> plain;
  std::vector<int64_t> usable;  // numbers of the samples that can be read, ascending

  /// The observations of these samples: [n, ...].
  Array see(std::span<const int64_t> samples) const;
  std::string name(int64_t sample) const { return set->name(sample); }
};

/// Opens a folder or a file for the model of a run that was trained on files. What the run's
/// configuration says about the samples holds here too, except for where they are and the table
/// beside them; `overrides` are such as "samples.table=labels.csv".
SeenSamples open_samples(const storage::RunDirectory& run, const std::string& path,
                         const std::vector<std::string>& overrides);

/// Which of a model's outputs is meant.
enum class Output {
  kEmbedding,
  kRepresentation,
  kTarget,  // what predictions of x+ are compared with; the method has to predict
};

/// Calls take(first, rows) for consecutive blocks of the model's outputs [n, d], in float32: the
/// first block has row 0 of `samples`. Only one block is in memory at a time. Error if the samples
/// do not have the shape that the model was trained on.
void for_each_block(const Restored& model, const SeenSamples& samples, Output output,
                    const std::function<void(int64_t first, const Array& rows)>& take);

/// All of them: [N, d]. Error if they do not fit into memory.
Array all_rows(const Restored& model, const SeenSamples& samples, Output output);

}  // namespace adassl::study
