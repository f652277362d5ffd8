#include <cstdio>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "adassl/core/config.h"
#include "adassl/model/encoder.h"
#include "adassl/nn/layers.h"
#include "adassl/training/checkpoint.h"
#include "golden/golden_file.h"
#include "support/temporary_directory.h"

/// Weights that are saved here, read by torchvision itself where it is installed.
namespace adassl::testing {
namespace {

constexpr int kNotInstalled = 77;
constexpr int64_t kSide = 32;

struct Answer {
  int code = 0;
  std::vector<double> numbers;
};

Answer in_torchvision(const std::filesystem::path& weights, int depth, const std::string& stem) {
  std::ostringstream command;
  command << "/usr/bin/python3 " << ADASSL_SOURCE_DIR << "/tools/golden/load_in_torchvision.py "
          << weights.string() << " " << depth << " " << stem << " " << kSide;
  FILE* pipe = popen(command.str().c_str(), "r");
  Answer out;
  for (char line[64]; pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr;) {
    out.numbers.push_back(std::strtod(line, nullptr));
  }
  const int status = pipe == nullptr ? -1 : pclose(pipe);
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

/// As tools/golden/load_in_torchvision.py makes them.
Tensor pixels() {
  return (torch::arange(2 * 3 * kSide * kSide) * 37)
      .remainder(256)
      .to(torch::kUInt8)
      .view({2, 3, kSide, kSide});
}

TEST(Torchvision, LoadsOurWeightsStrictlyAndComputesTheSame) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "there is no Python";
  const TemporaryDirectory folder;
  for (const auto& [depth, stem] : {std::pair{18, "small"}, std::pair{50, "torchvision"}}) {
    Config config = Config::from_text(
        "encoder.kind = 'resnet'\nencoder.mean = [0.4, 0.5, 0.6]\nencoder.deviation = [0.2]\n",
        "test");
    config.override_with("encoder.depth=" + std::to_string(depth));
    config.override_with(std::string("encoder.stem=") + stem);
    const auto encoder = make_part(model::encoders(), config, "encoder", "",
                                   model::EncoderContext{{3, kSide, kSide}, true});
    nn::initialise(*encoder, 1);
    encoder->eval();
    const auto weights = folder / "encoder.safetensors";
    training::save_weights(*encoder, weights, {});
    const Answer theirs = in_torchvision(weights, depth, stem);
    if (theirs.code == kNotInstalled) GTEST_SKIP() << "torchvision is not installed";
    ASSERT_EQ(theirs.code, 0);
    const torch::NoGradGuard no_grad;
    const Tensor ours = encoder->represent(pixels()).to(torch::kFloat64).flatten();
    ASSERT_EQ(static_cast<int64_t>(theirs.numbers.size()), ours.numel());
    EXPECT_TRUE(close(ours, torch::tensor(theirs.numbers, torch::kFloat64), kFloatTolerance))
        << depth;
  }
}

}  // namespace
}  // namespace adassl::testing
