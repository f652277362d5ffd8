#pragma once

#include <cstdint>
#include <string>

#include "adassl/data/samples/samples.h"

/// What is chosen for samples of a user's own if the user does not say. `adassl data inspect` and
/// `adassl train` both ask here, so that pairs are inspected as they will be trained on.
namespace adassl::data {

/// The kind of pairing: clips follow each other in time. Other samples pair up by their folders if
/// there are several, with two samples each on average; otherwise each with itself.
std::string usual_pairing(const std::string& kind, const SampleSet& samples);

/// The shorter side of a typical picture, in pixels: the median of a few.
int64_t typical_side(const SampleSet& samples);

}  // namespace adassl::data
