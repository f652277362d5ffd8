#include "adassl/data/files.h"
#include "adassl/data/moving_mnist.h"
#include "adassl/data/named/celeba.h"
#include "adassl/data/named/inat.h"
#include "adassl/data/named/three_d_ident.h"
#include "adassl/data/numerical.h"
#include "adassl/data/source.h"

namespace adassl::data {

bool is_of_files(std::string_view kind) {
  return kind == Files::Options::kName || kind == ThreeDIdentData::kName ||
         kind == CelebAData::kName || kind == INatData::kName;
}

const std::vector<SourceEntry>& sources() {
  static const std::vector<SourceEntry> table = {
      entry<Numerical, Source, uint64_t>(),
      entry<MovingMnist, Source, uint64_t>(),
      files_entry(),
      named_entry<ThreeDIdentData>(),
      named_entry<CelebAData>(),
      named_entry<INatData>(),
  };
  return table;
}

}  // namespace adassl::data
