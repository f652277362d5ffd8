#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/app/write_report.h"
#include "adassl/core/error.h"
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
  const auto& metrics = records.at(0).at("metrics");
  EXPECT_GT(metrics.at("r2_spiral").get<double>(), 0.8) << "the code follows the spiral";
  EXPECT_LT(metrics.at("smoothness").get<double>(), 0.5);
  EXPECT_FALSE(metrics.contains("objective")) << "utilisation asks for an r";
  const std::string page = adassl::testing::contents(path / "report.html");
  EXPECT_THAT(page, HasSubstr("smoothness"));
  EXPECT_THAT(page, HasSubstr("reconstruction"));
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
  EXPECT_EQ(experiment.evaluate.watch, "regression");
}

}  // namespace
}  // namespace newcomer
