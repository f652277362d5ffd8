#include <cmath>

#include <gtest/gtest.h>

#include "adassl/evaluation/regression.h"
#include "contracts/parts.h"

/// The tutorial's "pairs of your own", in full.
namespace adassl::testing {
namespace {

void place(std::span<float> point, double angle) {
  point[0] = static_cast<float>(std::cos(angle));
  point[1] = static_cast<float>(std::sin(angle));
}

class Rotations final : public data::PairwiseSource {
 public:
  struct Options {
    static constexpr std::string_view kName = "rotations";
    static constexpr std::string_view kSummary =
        "points on a circle that move on by a random angle";
    double spread = 0.5;
    void visit(Fields& field) { field("spread", spread, "how far they move", {0, 3}); }
  };
  Rotations(const Options& options, uint64_t /*seed*/) : options_(options) {}

  Shape shape() const override {
    return {.observation = {2}, .change = 1, .columns = {{"cosine"}}};
  }
  void make_pair(int64_t, random::Sequence draws, const data::PairPlace& out) const override {
    const double angle = 6.283 * draws.uniform();
    const double change = options_.spread * draws.normal();
    place(out.x, angle);
    place(out.x_plus, angle + change);
    out.change[0] = static_cast<float>(change);
    out.factors[0] = static_cast<float>(std::cos(angle));
    out.factors_plus[0] = static_cast<float>(std::cos(angle + change));
  }
  std::vector<std::string> populations() const override { return {"circle"}; }
  Samples samples(const std::string&, const random::Stream& stream, int64_t count) const override {
    Samples out{make_array({count, 2}), make_array({count, 1})};
    for (int64_t i = 0; i < count; ++i) {
      const double angle = 6.283 * stream.at(static_cast<uint32_t>(i)).uniform();
      place(row_of(out.x, i), angle);
      row_of(out.known, i)[0] = static_cast<float>(std::cos(angle));
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
