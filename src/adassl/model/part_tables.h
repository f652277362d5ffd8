#pragma once

#include <vector>

#include "adassl/model/editor.h"
#include "adassl/model/encoder.h"
#include "adassl/model/latent.h"
#include "adassl/model/objective.h"
#include "adassl/model/similarity.h"

namespace adassl::model {

/// What methods can be made of. A value: whoever adds parts of his own hands down tables that have
/// them too.
struct PartTables {
  std::vector<EncoderEntry> encoders = model::encoders();
  std::vector<LatentEntry> latents = model::latents();
  std::vector<EditorEntry> editors = model::editors();
  std::vector<ObjectiveEntry> objectives = model::objectives();
  std::vector<SimilarityEntry> similarities = model::similarities();
};

}  // namespace adassl::model
