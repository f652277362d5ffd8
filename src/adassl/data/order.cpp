#include "adassl/data/order.h"

#include <bit>

#include "adassl/core/error.h"

namespace adassl::data {

KeyedPermutation::KeyedPermutation(int64_t size, const random::Stream& stream)
    : size_(static_cast<uint64_t>(size)), stream_(stream) {
  ADASSL_CHECK(size > 0 && size <= int64_t{1} << 62, "[order] expected 1 to 2^62 pairs, got ",
               size);
  const auto bits = static_cast<int>(std::bit_width(size_ - 1));
  half_bits_ = bits <= 2 ? 1 : (bits + 1) / 2;
}

uint64_t KeyedPermutation::round_trip(uint64_t value) const {
  constexpr uint32_t kRounds = 4;
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = value >> half_bits_;
  uint64_t right = value & mask;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const random::Block bits =
        random::philox({static_cast<uint32_t>(right), round, static_cast<uint32_t>(stream_.step()),
                        static_cast<uint32_t>(stream_.step() >> 32)},
                       stream_.key());
    const uint64_t mixed = left ^ (bits[0] & mask);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

int64_t KeyedPermutation::operator()(int64_t number) const {
  auto value = static_cast<uint64_t>(number);
  do {
    value = round_trip(value);
  } while (value >= size_);
  return static_cast<int64_t>(value);
}

Order::Order(std::optional<int64_t> size, uint64_t seed, int64_t batch)
    : size_(size), seed_(seed), batch_(batch) {}

int64_t Order::at(int64_t step, int64_t row) const { return rows(step, row, 1)[0]; }

std::vector<int64_t> Order::rows(int64_t step, int64_t first, int64_t count) const {
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(count));
  if (!size_) {
    for (int64_t row = first; row < first + count; ++row) out.push_back(row);
    return out;
  }
  for (int64_t row = first; row < first + count;) {
    const int64_t position = step * batch_ + row;
    const int64_t epoch = position / *size_;
    const KeyedPermutation shuffled(*size_, {seed_, "order", static_cast<uint64_t>(epoch)});
    for (int64_t at = position % *size_; at < *size_ && row < first + count; ++at, ++row) {
      out.push_back(shuffled(at));
    }
  }
  return out;
}

}  // namespace adassl::data
