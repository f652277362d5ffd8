#pragma once

#include <cmath>

#include "adassl/data/source.h"

namespace newcomer {

using namespace adassl;

/// A source of one's own: points on a spiral, and points a little further on.
class Spirals final : public data::Source {
 public:
  struct Options {
    static constexpr std::string_view kName = "spirals";
    static constexpr std::string_view kSummary = "points on a spiral, and points further on";
    double turns = 2;
    void visit(Fields& field) { field("turns", turns, "how often it winds", {0.1, 100}); }
  };
  Spirals(const Options& options, uint64_t /*seed*/) : options_(options) {}

  Shape shape() const override { return {.observation = {2}, .change = 1, .factors = 1}; }
  std::vector<std::string> populations() const override { return {"spiral"}; }

  Batch pairs(const random::Stream& stream, int64_t count) const override {
    Batch batch;
    for (Array* points : {&batch.x, &batch.x_plus}) *points = make_array({count, 2});
    for (Array* known : {&batch.change, &batch.factors, &batch.factors_plus}) {
      *known = make_array({count, 1});
    }
    for (int64_t i = 0; i < count; ++i) {
      random::Sequence draws = stream.at(static_cast<uint32_t>(i));
      const double t = draws.uniform();
      const double further = 0.2 * draws.uniform();
      place(t, i, batch.x, batch.factors);
      place(t + further, i, batch.x_plus, batch.factors_plus);
      batch.change.values[static_cast<size_t>(i)] = static_cast<float>(further);
    }
    return batch;
  }

  Samples samples(const std::string& /*population*/, const random::Stream& stream,
                  int64_t count) const override {
    Samples out{make_array({count, 2}), make_array({count, 1})};
    for (int64_t i = 0; i < count; ++i) {
      place(stream.at(static_cast<uint32_t>(i)).uniform(), i, out.x, out.factors);
    }
    return out;
  }

 private:
  void place(double t, int64_t i, Array& points, Array& factors) const {
    const double angle = 2 * 3.14159265 * options_.turns * t;
    const auto at = static_cast<size_t>(i);
    points.values[2 * at] = static_cast<float>((0.2 + t) * std::cos(angle));
    points.values[2 * at + 1] = static_cast<float>((0.2 + t) * std::sin(angle));
    factors.values[at] = static_cast<float>(t);
  }

  Options options_;
};

}  // namespace newcomer
