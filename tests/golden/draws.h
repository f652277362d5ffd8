#pragma once

#include <vector>

#include "adassl/model/method.h"
#include "golden/golden_file.h"

/// What tools/golden/draws.py draws too, so that no file holds it.
namespace adassl::testing {

/// Parameters and running statistics that are nobody's initial values: gains around 1, variances
/// and means around those of a standard normal, the rest around 0.
void disturb(torch::nn::Module& module, uint64_t seed);

/// The pairs of a training step, of the "observation", "change" and "rows" that the file tells.
model::Views views_of(const GoldenFile& file, uint64_t seed, int64_t step);
inline Named named(const model::Views& views) {
  return {{"x", views.x},
          {"x_plus", views.x_plus},
          {"helper", views.helper},
          {"mirror_helper", views.mirror_helper},
          {"change", views.change}};
}

}  // namespace adassl::testing
