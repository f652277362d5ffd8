#include "adassl/evaluation/reconstruction.h"

#include <gtest/gtest.h>

#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::results_of;

/// Four vectors, whose mean is (1, 2) and whose squared distances from it sum up to 8.
class FourVectors final : public testing::FakeSource {
 public:
  Samples samples(const std::string&, const random::Stream&, int64_t) const override {
    return {testing::array_of({{0, 1}, {2, 1}, {0, 3}, {2, 3}}), {}};
  }
  std::optional<int64_t> population_size(const std::string&) const override { return 4; }
};

/// Reconstructs observations with an error of `off` in every number.
class Off final : public testing::FakeMethod, public model::Reconstructs {
 public:
  explicit Off(double off) : off_(off) {}
  Tensor decode(const Tensor& e) override { return e + off_; }

 private:
  double off_;
};

TEST(Reconstruction, IsComparedWithTheMeanObservation) {
  for (const auto& [off, r2] : {std::pair{0.0, 1.0}, std::pair{1.0, 0.0}, std::pair{0.5, 0.75}}) {
    Off method(off);
    const Results results = results_of(Reconstruction({}), method, FourVectors());
    EXPECT_NEAR(results.metrics.at("reconstruction_mse"), off * off, 1e-12);
    EXPECT_NEAR(results.metrics.at("reconstruction_r2"), r2, 1e-12);
  }
}

TEST(Reconstruction, IsAskedOfMethodsThatDecodeAlone) {
  testing::FakeMethod method;
  const FourVectors source;
  EXPECT_EQ(Reconstruction({}).obstacle({.method = method, .source = source}),
            "the method does not reconstruct observations");
  EXPECT_FALSE(Reconstruction({}).fits(source));
}

}  // namespace
}  // namespace adassl::evaluation
