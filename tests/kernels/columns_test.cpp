#include "adassl/kernels/columns.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/kernels/noise.h"
#include "kernels/instruction_sets.h"

namespace adassl::kernels {
namespace {

std::vector<float> normals(int64_t count, const char* purpose) {
  std::vector<float> out(static_cast<size_t>(count));
  fill_normal(out, 1, {1, purpose});
  return out;
}

/// Points from -100 to 100, dense around 0; their number is not a multiple of the vector length.
std::vector<float> points() {
  std::vector<float> out = {0.0F, -0.0F, 80.0F, -80.0F, 100.0F, -100.0F};
  for (int k = -20'000; k <= 20'000; ++k) {
    out.push_back(static_cast<float>(k) * 0.004F);
    out.push_back(static_cast<float>(k) * 1e-6F);
  }
  return out;
}

/// The relative error in units of float32's precision.
double relative_error(double found, double exact) {
  return std::abs(found - exact) / exact / std::numeric_limits<float>::epsilon();
}

class Columns : public OnEachInstructionSet {};
ADASSL_ON_EACH_INSTRUCTION_SET(Columns);

TEST_P(Columns, SquareLayersAreProductsAndLeakyReLUs) {
  for (const int64_t width : {1, 4, 5, 10, 11, 64}) {
    for (const int64_t rows : {1, 16, 21}) {
      const std::vector<float> weights = normals(2 * width * width, "weights");
      const std::vector<float> z = normals(width * rows, "z");
      std::vector<float> x(z.size() + 1, -1);  // one extra value, which must not be overwritten
      apply({weights, width, 1, 0.2F}, z, std::span(x).first(z.size()));
      for (int64_t i = 0; i < rows; ++i) {
        std::vector<double> in(static_cast<size_t>(width));
        for (int64_t j = 0; j < width; ++j) in[static_cast<size_t>(j)] = z[j * rows + i];
        for (int64_t layer = 0; layer < 2; ++layer) {
          std::vector<double> out(in.size());
          for (int64_t k = 0; k < width * width; ++k) {
            out[k / width] += weights[layer * width * width + k] * in[k % width];
          }
          for (double& value : out) value *= layer == 0 && value < 0 ? 0.2F : 1;
          in = out;
        }
        for (int64_t j = 0; j < width; ++j) {
          EXPECT_NEAR(x[j * rows + i], in[j], 3e-6 * static_cast<double>(width)) << width;
        }
      }
      EXPECT_EQ(x.back(), -1);
      std::vector<float> in_place = z;
      apply({weights, width, 1, 0.2F}, in_place, in_place);
      x.pop_back();
      EXPECT_EQ(in_place, x);
    }
  }
}

TEST_P(Columns, RootOfSoftplusIsAccurate) {
  std::vector<float> values = points();
  const std::vector<float> from = values;
  root_of_softplus(values);
  for (size_t i = 0; i < from.size(); ++i) {
    const double v = std::max(from[i], -80.0F);
    const double exact = std::sqrt(std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))));
    ASSERT_LT(relative_error(values[i], exact), 2) << from[i];
  }
}

TEST_P(Columns, SigmoidIsAccurate) {
  std::vector<float> values = points();
  const std::vector<float> from = values;
  sigmoid(values);
  for (size_t i = 0; i < from.size(); ++i) {
    const double exact = 1 / (1 + std::exp(-std::max(from[i], -80.0F)));
    ASSERT_LT(relative_error(values[i], exact), 3) << from[i];
  }
}

TEST_P(Columns, HaveTheSameBitsAsOnTheBaseline) {
  const std::vector<float> weights = normals(3 * 100, "weights");
  const auto all = [&] {
    std::vector<std::vector<float>> out = {normals(10 * 1001, "z"), points(), points()};
    apply({weights, 10, 3, 0.2F}, out[0], out[0]);
    root_of_softplus(out[1]);
    sigmoid(out[2]);
    return out;
  };
  const auto found = all();
  use_instruction_set("baseline");
  EXPECT_EQ(found, all());
}

TEST(SquareLayers, NameWhatDoesNotFit) {
  std::vector<float> values(10);
  EXPECT_THROW(apply({values, 65}, values, values), Error);
  EXPECT_THROW(apply({values, 0}, values, values), Error);
  EXPECT_THROW(apply({values, 3}, values, values), Error);
  const std::vector<float> matrix(9);
  EXPECT_THROW(apply({matrix, 3}, values, values), Error);
}

}  // namespace
}  // namespace adassl::kernels
