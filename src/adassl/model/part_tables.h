#pragma once

#include <vector>

#include "adassl/model/editor.h"
#include "adassl/model/encoder.h"
#include "adassl/model/latent.h"
#include "adassl/model/objective.h"
#include "adassl/model/similarity.h"

namespace adassl::model {

/// The parts of which methods are made. To use parts from outside the library, pass down tables
/// that contain them.
struct PartTables {
  std::vector<EncoderEntry> encoders = model::encoders();
  std::vector<LatentEntry> latents = model::latents();
  std::vector<EditorEntry> editors = model::editors();
  std::vector<ObjectiveEntry> objectives = model::objectives();
  std::vector<SimilarityEntry> similarities = model::similarities();
};

}  // namespace adassl::model
