#pragma once

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"

namespace adassl::kernels {

/// The number of random cases of a test: some hundreds, or ten thousand if ADASSL_LONG_TESTS is
/// set.
inline int cases(int usual) { return std::getenv("ADASSL_LONG_TESTS") != nullptr ? 10'000 : usual; }

/// Random draws, seeded by the number of the case, so that a failure can be reproduced.
class Draws {
 public:
  explicit Draws(int seed) : engine_(static_cast<unsigned>(seed)) {}
  int64_t integer(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(engine_);
  }
  bool coin(double p = 0.5) { return std::bernoulli_distribution(p)(engine_); }
  double uniform(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(engine_);
  }
  std::vector<float> normals(int64_t count, double scale = 1) {
    std::normal_distribution<float> normal;
    std::vector<float> out(static_cast<size_t>(count));
    for (float& value : out) value = static_cast<float>(scale) * normal(engine_);
    return out;
  }

 private:
  std::mt19937 engine_;
};

inline double norm_of(const std::vector<double>& values) {
  double square = 0;
  for (const double value : values) square += value * value;
  return std::sqrt(square);
}

/// |a - b| relative to |b|, or to `floor` if |b| is smaller than that.
template <class A, class B>
double relative_error(const A& a, const B& b, double floor = 0) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0;
  double norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double delta = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    difference += delta * delta;
    norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  if (difference == 0) return 0;
  return std::sqrt(difference) / std::max(std::sqrt(norm), floor);
}

/// Runs `work` with 1, 2, 3 and 4 threads and expects the same result from all.
template <class Work>
void expect_same_bits_for_any_threads(const Work& work) {
  set_threads(1);
  const auto first = work();
  for (const int count : {1, 2, 3, 4}) {
    set_threads(count);
    EXPECT_EQ(work(), first) << count << " threads";
  }
  set_threads(1);
}

}  // namespace adassl::kernels
