#include "adassl/core/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/core/hash.h"

namespace adassl::random {
namespace {

std::array<uint32_t, 2> split(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

}  // namespace

Block philox(Block counter, std::array<uint32_t, 2> key) {
  constexpr uint64_t kMultiply0 = 0xD2511F53;
  constexpr uint64_t kMultiply1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9;
  constexpr uint32_t kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = kMultiply0 * counter[0];
    const uint64_t product1 = kMultiply1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

uint32_t Sequence::bits() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[static_cast<size_t>(used_++)];
}

double Sequence::uniform() { return (bits() + 0.5) * 0x1p-32; }

double Sequence::normal() {  // Box-Muller; the second value serves the next call
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

bool Sequence::bernoulli(double p) { return uniform() < p; }

double Sequence::gamma(double shape) {  // Marsaglia and Tsang, 2000
  ADASSL_CHECK(shape > 0, "[random] expected a positive shape, got ", shape);
  if (shape < 1) {
    const double boosted = gamma(shape + 1);
    return boosted * std::pow(uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double cube = 1 + c * x;
    if (cube <= 0) continue;
    const double v = cube * cube * cube;
    if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

uint64_t Sequence::below(uint64_t bound) {
  ADASSL_CHECK(bound > 0, "[random] expected a positive bound, got 0");
  const uint64_t unbiased = UINT64_MAX - UINT64_MAX % bound;
  for (;;) {
    const uint64_t high = bits();
    const uint64_t draw = high << 32 | bits();
    if (draw < unbiased) return draw % bound;
  }
}

Stream::Stream(uint64_t seed, std::string_view purpose, uint64_t step)
    : key_(split(Hash().add(&seed, sizeof seed).add(purpose).value())), step_(step) {}

Stream Stream::named(std::string_view purpose) const {
  return {split(Hash().add(key_.data(), sizeof key_).add(purpose).value()), step_};
}

std::vector<int64_t> permutation(int64_t count, const Stream& stream) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  Sequence draws = stream.at(0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
  return order;
}

}  // namespace adassl::random
