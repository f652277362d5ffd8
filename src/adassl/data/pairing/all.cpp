#include "adassl/data/pairing/group.h"
#include "adassl/data/pairing/list.h"
#include "adassl/data/pairing/neighbour.h"
#include "adassl/data/pairing/pairing.h"
#include "adassl/data/pairing/self.h"
#include "adassl/data/pairing/time.h"

namespace adassl::data {

const std::vector<PairingEntry>& pairings() {
  static const std::vector<PairingEntry> table = {
      entry<SelfPairing, Pairing, const PairingContext&>(),
      entry<GroupPairing, Pairing, const PairingContext&>(),
      entry<ListPairing, Pairing, const PairingContext&>(),
      entry<TimePairing, Pairing, const PairingContext&>(),
      entry<NeighbourPairing, Pairing, const PairingContext&>(),
  };
  return table;
}

}  // namespace adassl::data
