#include "adassl/study/tables.h"

namespace adassl::study {
namespace {

template <class Description, class EntryType>
std::vector<Description> descriptions(const std::vector<EntryType>& table) {
  return {table.begin(), table.end()};
}

}  // namespace

parts::Catalogue catalogue_of(const Tables& tables) {
  const model::PartTables& made_of = tables.parts;
  parts::Catalogue out = {descriptions<parts::MethodDescription>(tables.methods),
                          descriptions<PartDescription>(tables.sources),
                          {{"encoder", descriptions<PartDescription>(made_of.encoders)},
                           {"latent", descriptions<PartDescription>(made_of.latents)},
                           {"editor", descriptions<PartDescription>(made_of.editors)},
                           {"objective", descriptions<PartDescription>(made_of.objectives)},
                           {"similarity", descriptions<PartDescription>(made_of.similarities)}},
                          descriptions<PartDescription>(tables.evaluations)};
  add_data_parts(out);
  return out;
}

}  // namespace adassl::study
