#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

/// Randomness as a pure function of (seed, purpose, step, sample).
///
/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) turns a
/// 64-bit key and a 128-bit counter into 128 random bits. The key comes from seed and purpose, the
/// counter from step, sample and position. There is no state to save and no global generator: any
/// draw of any run can be made again, in any order, by any process, with the same bits.
namespace adassl::random {

using Block = std::array<uint32_t, 4>;

/// The Philox4x32-10 bijection.
Block philox(Block counter, std::array<uint32_t, 2> key);

/// The draws that belong to one sample, one after the other.
class Sequence {
 public:
  Sequence(std::array<uint32_t, 2> key, uint64_t step, uint32_t sample)
      : key_(key),
        counter_{0, sample, static_cast<uint32_t>(step), static_cast<uint32_t>(step >> 32)} {}

  uint32_t bits();                 // 32 random bits
  double uniform();                // in the open interval (0, 1)
  double normal();                 // mean 0, variance 1
  bool bernoulli(double p);        // true with probability p
  double gamma(double shape);      // scale 1; shape > 0
  uint64_t below(uint64_t bound);  // uniform in 0 ... bound - 1, without bias

 private:
  std::array<uint32_t, 2> key_;
  Block counter_;
  Block block_{};
  int used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

/// All draws of one purpose at one step: stream.at(i) are those of sample i.
class Stream {
 public:
  Stream(uint64_t seed, std::string_view purpose, uint64_t step = 0);

  Sequence at(uint32_t sample) const { return {key_, step_, sample}; }
  /// The same step, another purpose: stream.named("noise").
  Stream named(std::string_view purpose) const;

  // For code that makes the draws of many samples at once (kernels/noise.h).
  std::array<uint32_t, 2> key() const { return key_; }
  uint64_t step() const { return step_; }

 private:
  Stream(std::array<uint32_t, 2> key, uint64_t step) : key_(key), step_(step) {}

  std::array<uint32_t, 2> key_;
  uint64_t step_;
};

/// 0 ... count - 1 in random order.
std::vector<int64_t> permutation(int64_t count, const Stream& stream);

}  // namespace adassl::random
