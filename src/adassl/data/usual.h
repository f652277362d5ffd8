#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adassl/data/samples/arrays.h"
#include "adassl/data/samples/samples.h"

/// What is chosen for samples of a user's own if the user does not say. `adassl data inspect` and
/// `adassl train` both ask here, so that pairs are inspected as they will be trained on.
namespace adassl::data {

/// The kind of pairing: clips follow each other in time. Other samples pair up by their folders if
/// there are several, with two samples each on average; otherwise each with itself.
std::string usual_pairing(const std::string& kind, const SampleSet& samples);

/// What standardises the numbers of a row.
struct Moments {
  std::vector<double> mean, deviation;
};

/// Means and standard deviations over at most 10,000 of these samples, drawn evenly: one for each
/// number of a row, or one for all where a row has more than 4,096. The deviation of numbers that
/// are all equal is 1.
Moments moments_of(const Arrays& samples, std::span<const int64_t> among);

/// The shorter side of a typical picture, in pixels: the median of a few.
int64_t typical_side(const SampleSet& samples);

}  // namespace adassl::data
