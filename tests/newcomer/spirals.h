#pragma once

#include <cmath>

#include "adassl/data/source.h"

namespace newcomer {

using namespace adassl;

/// A source of one's own: points on a spiral, and points a little further on.
class Spirals final : public data::PairwiseSource {
 public:
  struct Options {
    static constexpr std::string_view kName = "spirals";
    static constexpr std::string_view kSummary = "points on a spiral, and points further on";
    double turns = 2;
    void visit(Fields& field) { field("turns", turns, "how often it winds", {0.1, 100}); }
  };
  Spirals(const Options& options, uint64_t /*seed*/) : options_(options) {}

  Shape shape() const override { return {.observation = {2}, .change = 1, .columns = {{"t"}}}; }
  std::vector<std::string> populations() const override { return {"spiral"}; }

  void make_pair(int64_t /*pair*/, random::Sequence draws,
                 const data::PairPlace& out) const override {
    const double t = draws.uniform();
    const double further = 0.2 * draws.uniform();
    place(t, out.x, out.factors);
    place(t + further, out.x_plus, out.factors_plus);
    out.change[0] = static_cast<float>(further);
  }

  Samples samples(const std::string& /*population*/, const random::Stream& stream,
                  int64_t count) const override {
    Samples out{make_array({count, 2}), make_array({count, 1})};
    for (int64_t i = 0; i < count; ++i) {
      place(stream.at(static_cast<uint32_t>(i)).uniform(), row_of(out.x, i), row_of(out.known, i));
    }
    return out;
  }

 private:
  void place(double t, std::span<float> point, std::span<float> factor) const {
    const double angle = 2 * 3.14159265 * options_.turns * t;
    point[0] = static_cast<float>((0.2 + t) * std::cos(angle));
    point[1] = static_cast<float>((0.2 + t) * std::sin(angle));
    factor[0] = static_cast<float>(t);
  }

  Options options_;
};

}  // namespace newcomer
