#include "adassl/data/named/celeba.h"
#include "adassl/data/named/inat.h"
#include "adassl/data/named/three_d_ident.h"
#include "adassl/data/samples/arrays.h"
#include "adassl/data/samples/clips.h"
#include "adassl/data/samples/images.h"
#include "adassl/data/samples/samples.h"

namespace adassl::data {

const std::vector<SamplesEntry>& sample_kinds() {
  static const std::vector<SamplesEntry> table = {
      entry<Arrays, SampleSet, const Progress&>(),
      entry<Images, SampleSet, const Progress&>(),
      entry<Clips, SampleSet, const Progress&>(),
      ThreeDIdentSamples::entry(),
      listed_entry<CelebASamples>(),
      listed_entry<INatSamples>(),
  };
  return table;
}

}  // namespace adassl::data
