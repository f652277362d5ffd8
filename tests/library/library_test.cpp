#include <algorithm>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/adassl.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/nn/tensors.h"
#include "adassl/storage/npy.h"
#include "adassl/study/run.h"
#include "adassl/training/checkpoint.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

/// The header adassl/adassl.h, used as another program would use it.
namespace adassl {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

/// Points on a line that move on: a source that the library does not have.
class Steps final : public data::PairwiseSource {
 public:
  struct Options {
    static constexpr std::string_view kName = "steps";
    static constexpr std::string_view kSummary = "points that move on";
    double length = 0.3;
    void visit(Fields& field) { field("length", length, "of a step", {0, 10}); }
  };
  Steps(const Options& options, uint64_t) : options_(options) {}

  Shape shape() const override { return {.observation = {3}, .change = 1, .columns = {{"t"}}}; }
  void make_pair(int64_t, random::Sequence draws, const data::PairPlace& out) const override {
    const double t = draws.normal();
    const double change = options_.length * draws.normal();
    place(t, out.x, out.factors);
    place(t + change, out.x_plus, out.factors_plus);
    out.change[0] = static_cast<float>(change);
  }
  std::vector<std::string> populations() const override { return {"line"}; }
  Samples samples(const std::string&, const random::Stream& stream, int64_t count) const override {
    Batch batch = pairs(stream, count);
    return {std::move(batch.x), std::move(batch.factors)};
  }

 private:
  static void place(double t, std::span<float> x, std::span<float> factor) {
    x[0] = static_cast<float>(std::sin(t));
    x[1] = static_cast<float>(std::cos(t));
    x[2] = static_cast<float>(t);
    factor[0] = static_cast<float>(t);
  }

  Options options_;
};

Parts own_parts() {
  Parts out;
  out.add_source<Steps>();
  return out;
}

Config small(const std::string& more = "") {
  return Config::from_text(R"(
    method = "adassl-v"
    [data]
    kind = "steps"
    [model]
    helper = "target"
    [encoder]
    hidden = [16]
    out = 4
    [train]
    steps = 60
    batch = 32
    probe_every = 0
    [evaluate]
    suites = ["regression"]
    [evaluate.regression]
    train_samples = 256
    test_samples = 256
    [compute]
    threads = 1
  )" + more,
                           "small");
}

Array observations(int64_t count) { return Steps({}, 1).samples("line", {1, "test"}, count).x; }

/// One run for all tests that only read it.
const std::filesystem::path& trained_run() {
  static const TemporaryDirectory folder;
  static const std::filesystem::path path = [] {
    train(small(), folder / "run", own_parts());
    return folder / "run";
  }();
  return path;
}

TEST(Library, TrainsASourceOfOnesOwnAndReturnsItsNumbers) {
  const TemporaryDirectory folder;
  const Outcome outcome = train(small(), folder / "run", own_parts());
  EXPECT_EQ(outcome.step, 60);
  EXPECT_TRUE(outcome.finished);
  EXPECT_GT(outcome.metrics.at("r2_line"), 0.5);
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "report.html"));
}

TEST(Library, TellsOfEachStepAndStopsWhenAsked) {
  const TemporaryDirectory folder;
  ::testing::internal::CaptureStdout();
  std::vector<int64_t> told;
  const auto until_20 = [&](const Progress& progress) {
    told.push_back(progress.step);
    EXPECT_EQ(progress.steps, 60);
    EXPECT_TRUE(std::isfinite(progress.terms.at("loss")));
    return progress.step < 20;
  };
  const Outcome stopped = train(small(), folder / "run", own_parts(), until_20);
  EXPECT_EQ(stopped.step, 20);
  EXPECT_FALSE(stopped.finished);
  EXPECT_TRUE(stopped.metrics.empty());
  EXPECT_EQ(told.size(), 20U);
  EXPECT_EQ(adassl::Run(folder / "run").step(), 20) << "it was saved";

  const Outcome outcome = resume(folder / "run", own_parts(), [](const Progress&) { return true; });
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "") << "the program's lines are not printed";
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(testing::contents(folder / "run/encoder.safetensors"),
            testing::contents(trained_run() / "encoder.safetensors"));
}

TEST(Library, EvaluatesAgainWithTheSameNumbers) {
  const Outcome outcome = resume(trained_run(), own_parts());
  EXPECT_TRUE(outcome.finished);
  const Metrics again = evaluate(trained_run(), {}, own_parts());
  EXPECT_EQ(again.at("r2_line"), outcome.metrics.at("r2_line"));
}

TEST(Library, EmbedsAsTheEvaluationsDo) {
  const Array x = observations(5000);  // more than one block
  const Array z = adassl::Run(trained_run()).embed(x);
  const Parts parts = own_parts();
  const auto run = storage::RunDirectory::open(trained_run(), storage::RunDirectory::Lock::kNo);
  const auto trained = study::load_run(run, {}, parts.tables());
  const evaluation::Frozen frozen(*trained.experiment.method);
  const Tensor expected = evaluation::embed(*trained.experiment.method, x);
  ASSERT_EQ(z.shape, (std::vector<int64_t>{5000, 4}));
  EXPECT_TRUE(torch::equal(nn::view(z), expected.to(torch::kFloat32)));
}

TEST(Library, StandardisesRowsOfNumbersAsTheRunDid) {
  const TemporaryDirectory folder;
  Array rows = observations(200);
  for (float& value : rows.values) value = 1000 + 50 * value;
  write_npy(folder / "rows.npy", rows);
  Config config = small(R"(
    [samples]
    mean = [1000, 1000, 1000]
    deviation = [50, 50, 50]
  )");
  for (const char* choice :
       {"data.kind=files", "samples.kind=arrays", "pairing.kind=time", "evaluate.suites=[]"}) {
    config.override_with(choice);
  }
  config.set_default("samples.path", (folder / "rows.npy").string());
  train(std::move(config), folder / "run");
  const adassl::Run run(folder / "run");
  const auto trained = study::load_run(
      storage::RunDirectory::open(folder / "run", storage::RunDirectory::Lock::kNo));
  Array standardised = rows;
  for (float& value : standardised.values) value = (value - 1000) * (1 / 50.0F);
  const evaluation::Frozen frozen(*trained.experiment.method);
  const Tensor expected = evaluation::embed(*trained.experiment.method, standardised);
  EXPECT_TRUE(torch::equal(nn::view(run.embed(rows)), expected.to(torch::kFloat32)));
}

TEST(Library, NeedsNeitherTheDataNorTheSourceOfARunToEmbed) {
  const TemporaryDirectory folder;  // with nothing but what has to be copied to another machine
  std::filesystem::copy(trained_run() / "config.toml", folder.path());
  std::filesystem::copy(trained_run() / "checkpoints", folder / "checkpoints");
  const adassl::Run run(folder.path());  // its table of sources has no "steps"
  EXPECT_EQ(run.observation(), std::vector<int64_t>{3});
  EXPECT_EQ(run.element(), Element::kFloat32);
  EXPECT_EQ(run.method(), "adassl-v");
  EXPECT_EQ(run.step(), 60);
  const Array z = run.represent(observations(2));
  EXPECT_EQ(z.rows(), 2);
}

TEST(Library, EmbedsTheSameFromSeveralThreads) {
  const adassl::Run run(trained_run());
  const Array x = observations(300);
  const Array expected = run.embed(x);
  std::vector<Array> found(4);
  {
    std::vector<std::jthread> threads;
    for (Array& out : found) threads.emplace_back([&] { out = run.embed(x); });
  }
  for (const Array& z : found) EXPECT_EQ(z.values, expected.values);
}

TEST(Library, NamesTheMistakeInWhatIsToBeEmbedded) {
  const adassl::Run run(trained_run());
  EXPECT_EQ(error_of([&] {
              run.embed(make_zeros({2, 4}));
            }),
            "[embed] expected observations [N, 3] with N > 0, got [2, 4]");
  EXPECT_EQ(error_of([&] {
              run.embed(make_zeros({0, 3}));
            }),
            "[embed] expected observations [N, 3] with N > 0, got [0, 3]");
  EXPECT_EQ(error_of([&] { run.embed({}); }),
            "[embed] expected observations [N, 3] with N > 0, got []");
  EXPECT_EQ(error_of([&] {
              run.embed(make_array({2, 3}, Element::kUint8));
            }),
            "[embed] expected float32 observations, got uint8");
  Array cut = make_zeros({2, 3});
  cut.values.pop_back();
  EXPECT_EQ(error_of([&] { run.embed(cut); }),
            "[embed] expected 6 numbers for the shape [2, 3], got 5");
  cut.shape = {int64_t{1} << 62, 3};
  EXPECT_THAT(error_of([&] { run.embed(cut); }), StartsWith("[embed] expected"));
}

TEST(Library, NamesTheMistakeInARunOrAConfiguration) {
  const TemporaryDirectory folder;
  EXPECT_THAT(error_of([&] { adassl::Run(folder / "nothing"); }), StartsWith("["));
  EXPECT_THAT(error_of([&] { train(small(), folder / "a"); }), HasSubstr("expected one of"))
      << "without the part, its name is unknown";
  EXPECT_THAT(error_of([&] { train(small("[latents]\ndim = 3\n"), folder / "a", own_parts()); }),
              HasSubstr("unknown key 'latents.dim'"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a")) << "a mistake leaves nothing behind";
  EXPECT_THAT(error_of([&] { train(small(), trained_run(), own_parts()); }),
              HasSubstr("already holds a run"));
}

TEST(Library, RefusesARunWhoseConfigurationWasEdited) {
  const TemporaryDirectory folder;
  std::filesystem::copy(trained_run(), folder / "run", std::filesystem::copy_options::recursive);
  testing::put(folder / "run/config.toml",
               testing::contents(trained_run() / "config.toml") + "# edited\n");
  EXPECT_THAT(error_of([&] { adassl::Run(folder / "run"); }),
              HasSubstr("belongs to another configuration"));
  std::filesystem::remove_all(folder / "run/checkpoints");
  EXPECT_THAT(error_of([&] { adassl::Run(folder / "run", own_parts()); }), StartsWith("["));
}

struct Other final : torch::nn::Module {
  Other() { register_parameter("weight", torch::zeros({1})); }
};

TEST(Library, ChecksTheShapeInACheckpointBeforeItBuildsAModel) {
  const TemporaryDirectory folder;
  std::filesystem::copy(trained_run() / "config.toml", folder.path());
  std::filesystem::create_directory(folder / "checkpoints");
  Other other;
  training::State state(other, {});
  for (const char* text :
       {"{", "[]", R"({"change": 0, "element": "float32"})",
        R"({"observation": 3, "change": 0, "element": "float32"})",
        R"({"observation": [-1], "change": 0, "element": "float32"})",
        R"({"observation": [1.5], "change": 0, "element": "float32"})",
        R"({"observation": [65536, 65536], "change": 0, "element": "float32"})",
        R"({"observation": [18446744073709551615], "change": 0, "element": "float32"})",
        R"({"observation": [3], "change": 0, "element": "int4"})"}) {
    ++state.step;
    training::Origin origin;
    origin.data = text;
    training::save_checkpoint(state, folder / "checkpoints", origin, 1);
    EXPECT_THAT(error_of([&] { adassl::Run(folder.path()); }), HasSubstr("checkpoints] expected"))
        << text;
  }
}

TEST(Library, ReadsAndWritesArraysOfNumpy) {
  const TemporaryDirectory folder;
  const Array x = observations(3);
  write_npy(folder / "x.npy", x);
  const Array again = read_npy(folder / "x.npy");
  EXPECT_EQ(again.shape, x.shape);
  EXPECT_EQ(again.values, x.values);
  Array pixels = make_array({2, 2}, Element::kUint8);
  std::ranges::copy(std::vector<uint8_t>{1, 2, 3, 255}, pixels.bytes.begin());
  write_npy(folder / "p.npy", pixels);
  EXPECT_EQ(read_npy(folder / "p.npy").bytes, pixels.bytes);
  const std::vector<double> doubles = {0.5, -2};
  storage::write_npy(folder / "d.npy", storage::Dtype::kF64, {2},
                     std::as_bytes(std::span(doubles)));
  EXPECT_THAT(read_npy(folder / "d.npy").values, ::testing::ElementsAre(0.5F, -2.0F));
  const std::vector<int64_t> whole = {1};
  storage::write_npy(folder / "i.npy", storage::Dtype::kI64, {1}, std::as_bytes(std::span(whole)));
  EXPECT_THAT(error_of([&] { read_npy(folder / "i.npy"); }),
              HasSubstr("expected float32, float64 or uint8 numbers, got I64"));
  pixels.shape = {3, 3};
  EXPECT_THAT(error_of([&] { write_npy(folder / "p.npy", pixels); }), HasSubstr("expected"));
}

}  // namespace
}  // namespace adassl
