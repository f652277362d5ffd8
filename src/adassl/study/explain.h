#pragma once

#include <string>
#include <vector>

#include "adassl/data/files.h"
#include "adassl/evaluation/groups_of_r.h"
#include "adassl/report/change_page.h"
#include "adassl/study/run.h"

/// What the latent variable r of a trained model says about one pair of its own samples.
namespace adassl::study {

struct Explanation {
  struct Alike {
    data::Pair pair;
    double distance = 0;  // of its change from the one that was asked about
  };
  std::vector<double> r;           // [d_r] in standard deviations from the mean over known pairs
  std::vector<double> cost;        // [d_r] what each dimension costs
  std::vector<double> usual_cost;  // [d_r] the mean over known pairs
  std::string unit;                // of the costs
  std::vector<Alike> pairs;        // the pair that was asked about, then those most like it
  int64_t compared = 0;            // how many pairs of the training samples were looked at
};

struct ExplainOptions {
  int64_t alike = 6;     // how many pairs with a similar change to return
  int64_t pairs = 2000;  // how many pairs of the training samples to compare with
};

/// The files that a run was trained on. Error if it was trained on something else.
const data::Files& files_of(const Experiment& experiment);

/// Explains the change from the sample named a to the sample named b. Error if the method has no r,
/// or if the run's data has no usable sample of such a name.
Explanation explain(const Trained& trained, const std::string& a, const std::string& b,
                    const ExplainOptions& options);

/// The same as a page, with the samples as they are seen. `groups` are the dimensions of r that are
/// known to change one factor each.
report::ChangePage change_page(const Trained& trained, const std::string& a, const std::string& b,
                               const ExplainOptions& options,
                               const std::vector<evaluation::GroupOfR>& groups);

}  // namespace adassl::study
