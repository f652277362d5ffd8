#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adassl/bench/measure.h"
#include "adassl/nn/resnet.h"

/// Whole training steps of InfoNCE with residual networks, as the paper has them for images: two
/// views of a pair, a projector with one hidden layer of 1024, logits of cosines, AdamW.
namespace adassl::bench {

struct ResNetStep {
  int64_t depth = 18;
  int64_t pixels = 64;  // height and width of an image
  int64_t batch = 64;   // pairs
  nn::Stem stem = nn::Stem::kSmall;

  std::string name() const;  // "ResNet-18 step, 64 px, batch 64"
};

/// The step with our kernels in this precision, against LibTorch in float32 with channels last. Its
/// row has the peak of the memory, where the system tells it, and the estimate of it.
Case resnet_step_case(const ResNetStep& step, nn::Precision precision, int threads);

/// How far the memory estimate of a step is above the peak of a first step, as a share of the
/// latter (negative: below); nothing where the system does not tell.
std::optional<double> estimate_error(const ResNetStep& step, nn::Precision precision);

/// The median time in milliseconds of up to `repeats` such steps by LibTorch alone, in its own
/// bfloat16 (autocast): convolutions and linear layers read bfloat16, and parameters are float32.
double libtorch_bf16_ms(const ResNetStep& step, int threads, int repeats);

/// The three steps of `adassl bench convolution`: for each, ours in float32 and, where training
/// uses it, in bfloat16. The last row of each step asks for LibTorch's own bfloat16, too.
std::vector<Case> resnet_step_cases(int threads, int repeats);

/// The hours of the paper's 80,000 steps of 512 pairs (CelebA, 64 pixels), if `name` is one of the
/// rows whose images have that size, from the milliseconds of its step; else nothing.
std::optional<double> paper_hours(const std::string& name, double milliseconds);

}  // namespace adassl::bench
