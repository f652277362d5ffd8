#include "adassl/parts/automatic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace adassl::parts {
namespace {

constexpr double kViews = 4;  // of a pair that are encoded: x, x+ and a further view of each
constexpr double kShareOfPeak = 0.35;         // of the peak that narrow convolutions reach
constexpr double kSecondsOfSmallStep = 0.02;  // of a perceptron's step with 512 pairs, roughly
constexpr int64_t kFewestSteps = 1000, kMostSteps = 20'000;
constexpr int64_t kWidth = 16;  // of the residual network: a quarter of the usual one
/// Of the encoder of clips: a quarter of the usual ones.
constexpr const char* kClipChannels = "[8, 16, 32, 32, 64]";

/// Ways to see a picture, from the finest to the cheapest.
struct Sight {
  int64_t size;      // pixels that a view has on a side
  int64_t features;  // pixels behind the stem
  const char* stem;
};
constexpr Sight kSights[] = {
    {64, 64, "small"}, {64, 32, "large"}, {32, 32, "small"}, {32, 16, "large"}};

int64_t power_of_two_below(int64_t number) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(number, 1))));
}

/// Floating-point operations of a training step for each pair of clips. Its five layers have 3 x 3
/// weights at 1/4, 1/16 and (the last) 1/64 of a view's pixels, two of them three frames deep.
double clip_step_flops(int64_t frames, int64_t size) {
  constexpr double kOfPixel =
      2 * 9 * (3 * 8 / 4.0 + 8 * 16 / 16.0 + 32 * 64 / 64.0) + 2 * 3 * (16 * 32 + 32 * 32) / 16.0;
  return 3 * kViews * kOfPixel * static_cast<double>(frames * size * size);
}

/// The numbers as TOML, as short as float32 allows, within the range that the option accepts.
std::string list_of(const std::vector<double>& numbers, double least, double most) {
  std::vector<std::string> out;
  for (const double number : numbers) {
    out.push_back(fmt::format("{}", static_cast<float>(std::clamp(number, least, most))));
  }
  return fmt::format("[{}]", fmt::join(out, ", "));
}

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

class Choices {
 public:
  void add(std::string key, std::string value, std::string reason) {
    all_.push_back({std::move(key), std::move(value), std::move(reason)});
  }
  void add(std::string key, int64_t value, std::string reason) {
    add(std::move(key), std::to_string(value), std::move(reason));
  }
  std::vector<Choice> take() { return std::move(all_); }

 private:
  std::vector<Choice> all_;
};

int64_t batch_of(const DataFacts& facts, int64_t most) {
  return std::clamp<int64_t>(power_of_two_below(facts.pairs / 2), 16, most);
}

int64_t steps_within(const DataFacts& facts, double seconds_of_step) {
  if (facts.steps > 0) return facts.steps;
  const double steps = 60 * facts.minutes / seconds_of_step;
  // Two digits: the machine's speed is known no better.
  const double unit = std::pow(10, std::floor(std::log10(std::max(steps, 1.0))) - 1);
  return std::clamp(static_cast<int64_t>(std::floor(steps / unit) * unit), kFewestSteps,
                    kMostSteps);
}

void choose_training(Choices& choices, const DataFacts& facts, int64_t batch,
                     double seconds_of_step, double rate) {
  const int64_t steps = steps_within(facts, seconds_of_step);
  choices.add("train.batch", batch, "a power of two, at most half of the pairs");
  choices.add(
      "train.steps", steps,
      fmt::format("about {:.0f} minutes here", static_cast<double>(steps) * seconds_of_step / 60));
  choices.add("optimizer.learning_rate", fmt::format("{}", rate), "for a short run");
  choices.add("optimizer.schedule", quoted("cosine"), "for a short run");
  choices.add("optimizer.warmup_steps", steps / 20, "a twentieth of the steps");
  choices.add("latent.warmup_steps", steps / 8, "the cost of r rises over an eighth of the steps");
  choices.add("train.probe_every", std::max<int64_t>(steps / 5, 1), "five times in a run");
  choices.add("evaluate.probe_samples", 1000, "online probes must not take longer than training");
  choices.add("evaluate.probes.train_samples", 10'000, "or all, where there are fewer");
  choices.add("evaluate.probes.max_iterations", 100, "a quick look; 'adassl probe' fits longer");
}

void choose_encoder(Choices& choices, const DataFacts& facts, const char* stem) {
  if (facts.frames > 1) {
    choices.add("encoder.kind", quoted("video_cnn"), "samples are clips of several frames");
    choices.add("encoder.channels", kClipChannels, "a quarter of the usual ones: there is no GPU");
  } else {
    choices.add("encoder.kind", quoted("resnet"), "samples are pictures");
    choices.add("encoder.depth", 18, "the smaller one");
    choices.add("encoder.width", kWidth, "a quarter of the usual one: there is no GPU");
    choices.add("encoder.stem", quoted(stem), "as the size of the views");
  }
  choices.add("encoder.projector", "[256]", "");
  choices.add("encoder.out", 64, "");
}

void choose_for_pictures(Choices& choices, const DataFacts& facts) {
  const int64_t batch = batch_of(facts, 128);
  const auto flops = [&](const Sight& sight) {
    return facts.frames > 1 ? clip_step_flops(facts.frames, sight.size)
                            : resnet18_step_flops(kWidth, sight.features);
  };
  const auto seconds = [&](const Sight& sight) {
    return flops(sight) * static_cast<double>(batch) / (kShareOfPeak * facts.gflops * 1e9);
  };
  const Sight* chosen = &kSights[std::size(kSights) - 1];
  for (const Sight& sight : kSights) {
    if (sight.size > 32 && facts.side < 48) continue;
    if (60 * facts.minutes / seconds(sight) < 1500) continue;
    chosen = &sight;
    break;
  }
  choices.add("views.kind", quoted(facts.same_sample ? "strong" : "weak"),
              facts.same_sample ? "two views of one sample must differ"
                                : "the two samples of a pair differ already");
  choices.add("views.size", chosen->size, "the finest view for which time allows 1,500 steps");
  choose_encoder(choices, facts, chosen->stem);
  choices.add("latent.hidden", "[256]", "");
  choices.add("editor.kind", quoted("mlp"), "as the paper's image experiments");
  choices.add("editor.hidden", "[256]", "");
  choices.add("latent.dim", 8, "");
  choices.add("latent.beta", "0.5", "as the paper's experiments with 3DIdent");
  choices.add("objective.form", quoted("cosine"), "as the paper's image experiments");
  choices.add("objective.negatives", quoted("both"), "as the paper's image experiments");
  choices.add("objective.clamp", 20, "as the paper's image experiments");
  choose_training(choices, facts, batch, seconds(*chosen), 1e-3);
}

void choose_for_arrays(Choices& choices, const DataFacts& facts) {
  int64_t numbers = 1;
  for (const int64_t extent : facts.shape) numbers *= extent;
  const int64_t batch = batch_of(facts, 512);
  if (facts.same_sample) {
    choices.add("views.kind", quoted("operations"), "two views of one sample must differ");
    choices.add("views.operations", "[\"noise\", \"masking\"]", "for numbers");
  }
  choices.add("encoder.kind", quoted("mlp"), "samples are numbers");
  choices.add("encoder.hidden", "[256, 256, 256]", "");
  choices.add("encoder.out", std::clamp<int64_t>(power_of_two_below(numbers), 8, 64),
              "at most 64, and no more than the numbers of a sample but 8");
  choices.add("latent.hidden", "[128]", "");
  choices.add("latent.dim", std::clamp<int64_t>(numbers / 2, 2, 8), "");
  choices.add("latent.beta", "0.1", "");
  choose_training(choices, facts, batch, kSecondsOfSmallStep * 100 / std::max(facts.gflops, 1.0),
                  1e-3);
}

}  // namespace

std::vector<Choice> standardising_choices(const std::vector<double>& mean,
                                          const std::vector<double>& deviation) {
  Choices choices;
  choices.add("samples.mean", list_of(mean, -1e30, 1e30),
              "of the training samples, so that numbers of any scale count alike");
  choices.add("samples.deviation", list_of(deviation, 1e-30, 1e30),
              "of the training samples; 1 where they are constant");
  return choices.take();
}

double resnet18_step_flops(int64_t width, int64_t features) {
  // 0.56 G multiplications and additions for one picture of 32 x 32 features, 64 channels wide.
  const double forward = 1.11e9 * std::pow(static_cast<double>(width) / 64, 2) *
                         std::pow(static_cast<double>(features) / 32, 2);
  return 3 * kViews * forward;
}

std::vector<Choice> automatic_choices(const DataFacts& facts) {
  Choices choices;
  choices.add("method", quoted("adassl-v"), "infers what changes inside a pair");
  if (facts.frames > 0) {
    choose_for_pictures(choices, facts);
  } else {
    choose_for_arrays(choices, facts);
  }
  return choices.take();
}

}  // namespace adassl::parts
