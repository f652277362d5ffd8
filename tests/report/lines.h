#pragma once

#include <vector>

#include "adassl/report/records.h"

namespace adassl::report {

/// Records as JSON lines of a file, since malformed records come from files.
using Lines = std::vector<Json>;
using records::parse_all;

/// The descriptions that the program's own evaluations and methods declare for the metrics in these
/// tests.
inline Json descriptions() {
  return Json::parse(R"json({
    "r2_pz": {"label": "R² on p(z)", "better": "high", "range": [-1, 1], "section": "results",
              "order": 1},
    "r2_ood": {"label": "R² on N(0, 5I), OOD", "better": "high", "range": [-1, 1],
               "section": "results", "order": 3},
    "r2_pz_per_factor": {"label": "R² on p(z)", "range": [-1, 1], "section": "factors"},
    "loss": {"label": "training loss", "better": "low", "order": 1, "curve": true},
    "rankme": {"label": "RankMe", "about": "effective rank", "section": "geometry", "order": 1},
    "alignment": {"label": "alignment", "about": "low is close", "section": "geometry", "order": 2},
    "active_dims": {"label": "active dimensions", "section": "latent", "order": 1},
    "kl_per_dim": {"label": "KL of each dimension", "unit": "nats", "section": "latent"},
    "density_energy": {"label": "energy distance", "better": "low", "section": "density"},
    "wall_seconds": {"label": "wall time", "unit": "seconds", "section": "wall_time"}
  })json");
}

}  // namespace adassl::report
