#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "adassl/core/random.h"

namespace adassl::data {

/// A permutation of 0 ... size - 1 that needs no memory: where a number goes is computed from the
/// number and the stream alone. Four rounds of a Feistel network over the smallest even number of
/// bits that holds the size; what falls outside goes round again.
class KeyedPermutation {
 public:
  KeyedPermutation(int64_t size, const random::Stream& stream);
  int64_t operator()(int64_t number) const;

 private:
  uint64_t round_trip(uint64_t value) const;

  uint64_t size_;
  int half_bits_;
  random::Stream stream_;
};

/// Which pair stands at row `row` of the batch of step `step`: a pure function, so that any step,
/// any row and any share of the rows can be computed alone.
///
/// Of a finite set every pair comes once in an epoch, in an order of its own for each epoch.
/// Batches do not end with an epoch: the one in which an epoch ends goes on with the next, so that
/// nothing is left out. Where pairs are generated without end, row r is simply number r of the
/// step's stream.
class Order {
 public:
  /// `size` as Source::pair_count() has it.
  Order(std::optional<int64_t> size, uint64_t seed, int64_t batch);

  int64_t at(int64_t step, int64_t row) const;
  /// Rows first ... first + count - 1.
  std::vector<int64_t> rows(int64_t step, int64_t first, int64_t count) const;

 private:
  std::optional<int64_t> size_;
  uint64_t seed_;
  int64_t batch_;
};

}  // namespace adassl::data
