#include <cmath>

#include <gtest/gtest.h>

#include "adassl/evaluation/regression.h"
#include "contracts/parts.h"

/// The tutorial's "pairs of your own", in full.
namespace adassl::testing {
namespace {

void place(Array& points, int64_t i, double angle) {
  points.values[static_cast<size_t>(2 * i)] = static_cast<float>(std::cos(angle));
  points.values[static_cast<size_t>(2 * i + 1)] = static_cast<float>(std::sin(angle));
}

class Rotations final : public data::Source {
 public:
  struct Options {
    static constexpr std::string_view kName = "rotations";
    static constexpr std::string_view kSummary =
        "points on a circle that move on by a random angle";
    double spread = 0.5;
    void visit(Fields& field) { field("spread", spread, "how far they move", {0, 3}); }
  };
  Rotations(const Options& options, uint64_t /*seed*/) : options_(options) {}

  Shape shape() const override { return {{2}, 1, 1}; }
  Batch pairs(const random::Stream& stream, int64_t count) const override {
    Batch batch;
    batch.x = make_array({count, 2});
    batch.x_plus = make_array({count, 2});
    batch.change = make_array({count, 1});
    for (int64_t i = 0; i < count; ++i) {
      random::Sequence draws = stream.at(static_cast<uint32_t>(i));
      const double angle = 6.283 * draws.uniform();
      const double change = options_.spread * draws.normal();
      place(batch.x, i, angle);
      place(batch.x_plus, i, angle + change);
      batch.change.values[static_cast<size_t>(i)] = static_cast<float>(change);
    }
    return batch;
  }
  std::vector<std::string> populations() const override { return {"circle"}; }
  Samples samples(const std::string&, const random::Stream& stream, int64_t count) const override {
    Samples out{make_array({count, 2}), make_array({count, 1})};
    for (int64_t i = 0; i < count; ++i) {
      const double angle = 6.283 * stream.at(static_cast<uint32_t>(i)).uniform();
      place(out.x, i, angle);
      out.factors.values[static_cast<size_t>(i)] = static_cast<float>(std::cos(angle));
    }
    return out;
  }

 private:
  Options options_;
};

TEST(OwnSource, IsTrainedOnAndProbed) {
  const std::vector<data::SourceEntry> table = {entry<Rotations, data::Source, uint64_t>()};
  Config config = Config::from_text("method = 'adassl-v'\n[model]\nhelper = 'target'\n", "test");
  const auto source = make_part(table, config, "data", "rotations", 1);
  const auto shape = source->shape();
  const auto method = model::make_method(config, {shape.observation, shape.change, 1});
  training::State state(*method, {});
  training::run_loop({.steps = 30, .batch = 64}, 1, *source, *method, state, {});
  EXPECT_EQ(state.step, 30);
  const evaluation::Frozen frozen(*method);
  evaluation::Results results;
  evaluation::Regression({256, 256}).run({*method, *source, 1}, results);
  EXPECT_GT(results.metrics.at("r2_circle"), 0.5);
}

TEST(OwnSource, WithoutFurtherViewsIsToldHowToGoOn) {
  Config config = Config::from_text("method = 'adassl-v'\n", "test");
  const auto method = model::make_method(config, {{2}, 1, 1});
  const Rotations source({}, 1);
  const Batch batch = source.pairs({1, "pairs"}, 8);
  try {
    method->forward(model::views(batch), 1, {1, "noise"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "[model] helper=view: expected data with further views, got none; use "
                 "model.helper=target");
  }
}

}  // namespace
}  // namespace adassl::testing
