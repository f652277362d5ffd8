#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/app/write_report.h"
#include "adassl/core/error.h"
#include "adassl/data/order.h"
#include "adassl/study/run.h"
#include "newcomer/autoencoder.h"
#include "newcomer/smoothness.h"
#include "newcomer/spirals.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

/// The newcomer's test: a source, a method and an evaluation of one's own, each in one file, are
/// trained, evaluated and reported, and nothing of the library knows of them.
namespace newcomer {
namespace {

using ::testing::HasSubstr;

study::Tables tables() {
  study::Tables out;
  out.sources.push_back(entry<Spirals, data::Source, uint64_t>());
  out.methods.push_back(model::method_entry<Autoencoder>());
  out.evaluations.push_back(entry<Smoothness, evaluation::Evaluation>());
  return out;
}

Config config(const std::string& more = "") {
  return Config::from_text(R"(
    method = "autoencoder"
    [data]
    kind = "spirals"
    turns = 0.25
    [train]
    steps = 400
    batch = 64
    probe_every = 200
    [optimizer]
    learning_rate = 0.01
    [evaluate]
    probe_samples = 128
    suites = ["regression", "utilisation", "smoothness"]
    [evaluate.regression]
    train_samples = 512
    test_samples = 512
    [compute]
    threads = 1
  )" + more,
                           "newcomer");
}

TEST(Newcomer, TrainsEvaluatesAndReportsPartsOfHisOwn) {
  const adassl::testing::TemporaryDirectory folder;
  const auto path = folder / "run";
  const study::Conduct conduct{.write_page = app::write_run_report, .tables = tables()};
  study::start_run(config(), path, conduct);
  const auto records = study::evaluate_run(path, {}, tables());
  const auto& metrics = records.at(0).metrics;
  EXPECT_GT(metrics.at("r2_spiral"), 0.8) << "the code follows the spiral";
  EXPECT_LT(metrics.at("smoothness"), 0.5);
  EXPECT_FALSE(metrics.contains("objective")) << "utilisation asks for an r";
  const std::string page = adassl::testing::contents(path / "report.html");
  EXPECT_THAT(page, HasSubstr("distance of pairs"));
  EXPECT_THAT(page, HasSubstr("error of rebuilding"));
}

TEST(Newcomer, IsToldOfMistakesInHisOwnOptions) {
  EXPECT_EQ(adassl::testing::error_of([] {
              study::build_experiment(config("[evaluate.smoothness]\npair = 3\n"), tables());
            }),
            "[newcomer:21] unknown key 'evaluate.smoothness.pair': no chosen part reads it; did "
            "you mean 'evaluate.smoothness.pairs'?");
}

TEST(Newcomer, CannotAskAMethodForWhatItDoesNotOffer) {
  const auto experiment = study::build_experiment(config(), tables());
  const evaluation::Subject subject{*experiment.method, *experiment.source, 1};
  EXPECT_EQ(experiment.evaluations.at(1)->obstacle(subject),
            "the method does not infer r from a pair");
  EXPECT_EQ(experiment.evaluate.watch, (std::vector<std::string>{"regression", "geometry"}));
}

/// Pairs of which one cannot be read until somebody mends it.
class Broken final : public data::PairwiseSource {
 public:
  struct Options {
    static constexpr std::string_view kName = "broken";
    static constexpr std::string_view kSummary = "a pair of it cannot be read";
    void visit(Fields&) {}
  };
  Broken(const Options&, uint64_t) {}
  Shape shape() const override { return {.observation = {2}, .columns = {{"t"}}}; }
  std::optional<int64_t> pair_count() const override { return 1000; }
  void make_pair(int64_t pair, random::Sequence draws, const data::PairPlace& out) const override {
    ADASSL_CHECK(pair != broken, "expected a picture, got noise");
    for (const auto& place : {out.x, out.x_plus}) {
      for (float& value : place) value = static_cast<float>(draws.normal());
    }
    out.factors[0] = out.x[0];
    out.factors_plus[0] = out.x_plus[0];
  }
  std::string name_of(int64_t pair) const override { return join("photo-", pair, ".jpg"); }
  std::vector<std::string> populations() const override { return {"all"}; }
  Samples samples(const std::string&, const random::Stream& stream, int64_t count) const override {
    Batch batch = pairs(stream, count);
    return {std::move(batch.x), std::move(batch.factors)};
  }

  static inline std::atomic<int64_t> broken = -1;
};

TEST(Newcomer, ResumesExactlyAfterAPairThatCouldNotBeRead) {
  const adassl::testing::TemporaryDirectory folder;
  study::Conduct conduct{.tables = tables()};
  conduct.tables.sources.push_back(entry<Broken, data::Source, uint64_t>());
  const auto small = [] {
    return Config::from_text(
        "method = 'autoencoder'\n[data]\nkind = 'broken'\n[train]\nsteps = 12\nbatch = 16\n"
        "checkpoint_every = 4\nlog_every = 1\nprobe_every = 0\nworkers = 2\nprefetch = 3\n"
        "[evaluate]\nsuites = ['smoothness']\n[compute]\nthreads = 1\n",
        "small");
  };
  Broken::broken = -1;
  study::start_run(small(), folder / "whole", conduct);
  Broken::broken = data::Order(1000, 1, 16).at(9, 3);  // of the tenth step
  const std::string line =
      join("[photo-", Broken::broken.load(), ".jpg] expected a picture, got noise");
  EXPECT_EQ(adassl::testing::error_of([&] { study::start_run(small(), folder / "run", conduct); }),
            line);
  EXPECT_EQ(adassl::testing::error_of([&] { study::resume_run(folder / "run", conduct); }), line);
  Broken::broken = -1;
  const auto kept = storage::RunDirectory::open(folder / "run", storage::RunDirectory::Lock::kNo);
  EXPECT_EQ(study::load_run(kept, {}, conduct.tables).step, 8) << "its newest checkpoint is intact";
  study::resume_run(folder / "run", conduct);
  for (const char* file : {"metrics.jsonl", "encoder.safetensors"}) {
    EXPECT_EQ(adassl::testing::contents(folder / "run" / file),
              adassl::testing::contents(folder / "whole" / file))
        << file;
  }
}

}  // namespace
}  // namespace newcomer
