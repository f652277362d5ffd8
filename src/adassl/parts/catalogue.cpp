#include "adassl/parts/catalogue.h"

#include "adassl/data/pairing/pairing.h"
#include "adassl/data/samples/samples.h"
#include "adassl/data/source.h"
#include "adassl/data/views/view.h"
#include "adassl/parts/editors.h"
#include "adassl/parts/encoders.h"
#include "adassl/parts/evaluations.h"
#include "adassl/parts/latents.h"
#include "adassl/parts/objectives.h"
#include "adassl/parts/run.h"
#include "adassl/parts/similarities.h"

namespace adassl::parts {
namespace {

template <class... Options>
std::vector<PartDescription> descriptions() {
  return {part_description<Options>()...};
}

}  // namespace

Catalogue built_in() {
  Catalogue out;
  out.methods = methods();
  out.sources.assign(data::sources().begin(), data::sources().end());
  out.parts = {
      {"encoder", descriptions<MlpEncoderOptions, VideoCnnOptions, ResNetOptions>()},
      {"latent", descriptions<NoLatentOptions, VariationalOptions, SparseOptions, FutureOptions,
                              GivenOptions, LieLatentOptions>()},
      {"editor", descriptions<NoEditorOptions, AdditiveEditorOptions, LinearEditorOptions,
                              ConcatEditorOptions, MlpEditorOptions, ModularEditorOptions,
                              LieEditorOptions>()},
      {"objective", descriptions<ContrastiveOptions, DistillationOptions, LieObjectiveOptions>()},
      {"similarity", descriptions<IsotropicOptions, AnisotropicOptions,
                                  HeteroscedasticAffineOptions, HeteroscedasticMlpOptions>()},
  };
  add_data_parts(out);
  out.evaluations =
      descriptions<RegressionOptions, ProbesOptions, DciOptions, ChangeOptions, PartnerOptions,
                   ControlOptions, RetrievalOptions, SampledFuturesOptions, UtilisationOptions,
                   GeometryOptions, DensityOptions, ReconstructionOptions>();
  return out;
}

void add_data_parts(Catalogue& catalogue) {
  const auto add = [&](const std::string& section, const auto& table) {
    catalogue.parts[section] = std::vector<PartDescription>(table.begin(), table.end());
  };
  add("samples", data::sample_kinds());
  add("pairing", data::pairings());
  add("views", data::views());
}

std::vector<std::pair<std::string, std::vector<FieldDescription>>> run_options() {
  return {{"", describe<TopOptions>()},
          {"model", describe<JointEmbeddingOptions>()},
          {"train", describe<LoopOptions>()},
          {"train", describe<ObserverOptions>()},
          {"optimizer", describe<AdamWOptions>()},
          {"evaluate", describe<EvaluateOptions>()},
          {"compute", describe<ComputeOptions>()}};
}

}  // namespace adassl::parts
