#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/data/samples/arrays.h"
#include "adassl/data/source.h"
#include "adassl/model/method.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/experiment.h"
#include "adassl/study/tables.h"

/// The model of a run without its data. A model is built for the shape of its data, so checkpoints
/// carry that shape: whoever only embeds needs neither the data nor the class that reads it.
namespace adassl::study {

struct Restored {
  std::string method_name;
  int64_t step = 0;
  uint64_t seed = 0;                    // of the run
  std::vector<int64_t> observation;     // the shape of one x
  Element element = Element::kFloat32;  // of the observations
  nn::ComputePtr compute;               // how the method computes
  data::Prefetch prefetch;              // how much data the run makes ahead
  std::shared_ptr<model::Method> method;
  data::Standardised standardised = {};  // what the run did to the numbers of its rows
};

/// The model of the newest intact checkpoint, on the CPU, with the kernels and the precision of the
/// run's configuration. Error if there is no checkpoint, or if it does not
/// belong to the run's configuration. For a run of a version that did not store the shape of the
/// data, and for a method without parameters, the data source is built too.
Restored restore_model(const storage::RunDirectory& run, const Tables& tables = {});

/// The model of an experiment at this step.
Restored model_of(const Experiment& experiment, int64_t step);

/// What a checkpoint says about the data, as one line of JSON: their shape, which a model has to
/// know, and the list of the user's samples.
std::string data_text(const data::Source& source);

/// In what the samples of a source are not those of a checkpoint's data_text; empty if they are the
/// same, or if the text, of an older version, does not say.
std::string change_since(const std::string& text, const data::Source& source);

/// What cannot be told of that, as a warning: a text of an older version does not say how the
/// samples were divided. Empty if there is nothing to doubt.
std::string doubt_since(const std::string& text, const data::Source& source);

}  // namespace adassl::study
