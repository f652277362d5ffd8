#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/core/table.h"
#include "adassl/data/samples/samples.h"

namespace adassl::data {

/// Two samples that belong together.
struct Pair {
  int64_t x = 0;
  int64_t x_plus = 0;
  int64_t further = -1;  // x++, if it is a sample of its own; otherwise it is a view of x+
};

/// What ties samples together, so that a split must not separate them.
struct Bonds {
  std::vector<int32_t> group = {};  // of each sample, -1: on its own; empty: all are
  int64_t groups = 0;
  bool in_time = false;  // groups are sequences, which can be cut in time
  double gap = 0;        // the longest time between x and x+
  bool linked = false;   // groups are what pairs connect: however few, they are no classes
};

/// Which two samples belong together: the second part of a data set. First all samples are known,
/// and bonds() says what a split has to respect; then use() chooses the samples that pairs are made
/// of. Afterwards pair number k is a pure function of k and of the draws. Several threads may call
/// pair() at once.
class Pairing {
 public:
  virtual ~Pairing() = default;

  virtual Bonds bonds() const { return {}; }
  /// Makes pairs of these samples only; their numbers are ascending. May be called again.
  virtual void use(std::span<const int64_t> members) = 0;
  /// The number of pairs in an epoch; 0 if none of the members has a partner.
  virtual int64_t count() const = 0;
  virtual Pair pair(int64_t k, random::Sequence& draws) const = 0;

  /// Whether x and x+ can be different samples.
  virtual bool changes() const { return true; }
  /// Whether x++ is a sample of its own.
  virtual bool has_further() const { return false; }
  /// The group of a sample in which all its possible partners are, -1 if it has none. Samples of
  /// one group are the negatives that a contrastive loss wrongly pushes apart.
  virtual int64_t group_of(int64_t /*sample*/) const { return -1; }
  /// A sentence about members that are in no pair; empty if there is nothing to say.
  virtual std::string remark() const { return ""; }
};

struct PairingContext {
  const SampleSet& samples;
  uint64_t seed = 0;
};

using PairingEntry = Entry<Pairing, const PairingContext&>;

/// The table of contents of this folder.
const std::vector<PairingEntry>& pairings();

}  // namespace adassl::data
