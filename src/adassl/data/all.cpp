#include "adassl/data/files.h"
#include "adassl/data/moving_mnist.h"
#include "adassl/data/numerical.h"
#include "adassl/data/source.h"

namespace adassl::data {

const std::vector<SourceEntry>& sources() {
  static const std::vector<SourceEntry> table = {
      entry<Numerical, Source, uint64_t>(), entry<MovingMnist, Source, uint64_t>(), files_entry()};
  return table;
}

}  // namespace adassl::data
