#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "adassl/core/random.h"

namespace adassl::data {

/// A permutation of 0 ... size - 1 that needs no memory: the image of a number is computed from the
/// number and the stream alone. It is a Feistel network of four rounds over the smallest even
/// number of bits that holds the size. A result outside the range is permuted again until it lies
/// inside.
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
/// In a finite set every pair occurs once per epoch, in another order in each epoch. A batch in
/// which an epoch ends continues with the next epoch, so that no pair is left out. If pairs are
/// generated without end, row r is simply pair number r of the step.
class Order {
 public:
  /// `size` is that of Source::pair_count().
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
