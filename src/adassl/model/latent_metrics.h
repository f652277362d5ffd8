#pragma once

#include "adassl/core/metric.h"

/// How r is used: training logs these numbers, and evaluations report them.
namespace adassl::model {

inline Metric gates_open_metric() {
  return {.name = "gates_open",
          .label = "E‖r‖₀",
          .about = "gates of r that are open, on average",
          .order = 3,
          .curve = true};
}

inline Metric r_entropy_metric() {
  return {.name = "r_entropy",
          .label = "H(ρ)",
          .about = "how evenly the dimensions of r are used, in nats",
          .section = kLatentSection,
          .order = 4,
          .curve = true};
}

}  // namespace adassl::model
