#pragma once

#include <string>
#include <vector>

#include "adassl/study/nearest_samples.h"

/// What a model expects to see together with a sample, shown by samples that exist.
namespace adassl::study {

/// A sample x, and for each of several draws of r the sample of the gallery whose embedding is
/// nearest to the prediction of x+. The sample x itself is not looked at.
struct Imagined {
  int64_t sample = 0;
  std::vector<Nearest::Other> draws;
  int64_t distinct = 0;  // different samples among the draws
};

struct ImagineOptions {
  std::vector<std::string> queries;  // names of samples; where empty, `rows` that are spread evenly
  int64_t rows = 8;
  int64_t draws = 10;
  uint64_t seed = 1;  // of the draws of r
};

/// For each sample asked about: r ~ p(r | x) several times, the prediction with each r, and the
/// nearest sample of the gallery by cosine similarity, by an exact search. A method without r
/// predicts one embedding, so all of its draws agree. Error if the method does not predict, or if a
/// query names no sample.
std::vector<Imagined> imagined_samples(const Restored& model, const SeenSamples& gallery,
                                       const ImagineOptions& options);

}  // namespace adassl::study
