#pragma once

#include <vector>

#include "adassl/bench/measure.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/tensors.h"

/// The cases that `adassl bench` measures.
namespace adassl::bench {

constexpr int64_t kBatch = 2048;  // of the numerical experiment

/// Normal random numbers that are the same in every run.
inline Tensor normal(int64_t rows, int64_t columns, const char* purpose) {
  return nn::normal(rows, columns, {1, purpose}, torch::empty({0}, torch::kFloat32));
}

/// The same as images [images, channels, height, width] in channels-last order.
inline Tensor pictures(const std::vector<int64_t>& shape, const char* purpose) {
  return normal(shape[0], shape[1] * shape[2] * shape[3], purpose)
      .view(shape)
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

/// The parts of a training step of the numerical experiment, at its sizes, except the loss.
std::vector<Case> kernel_cases(int threads);
/// The contrastive loss at the batch size of the numerical experiment, against two references.
std::vector<Case> contrastive_cases(int threads);
/// Whole training steps without making the data.
std::vector<Case> step_cases(int threads);

/// The contrastive loss for several N and several d.
std::vector<Case> contrastive_scaling_cases(int threads);
/// Whole training steps for several numbers of threads.
std::vector<Case> step_scaling_cases(int threads);

/// The video models: single convolutions, the parts of a training step, and whole steps.
std::vector<Case> video_cases(int threads);

/// Whole training steps of the video models in bfloat16, compared with float32.
std::vector<Case> video_precision_cases(int threads);

/// The operations of one pass over images of this shape [images, channels, height, width]. Taps
/// that fall on the padding do not count.
double convolution_flops(const nn::ConvolutionShape& shape, at::IntArrayRef x);

/// A named part of a model.
template <class Part>
Part& part_of(const torch::nn::Module& module, const std::string& name) {
  return dynamic_cast<Part&>(*module.named_children()[name]);
}

/// The contrastive loss by the textbook formula |q|^2 + |k|^2 - 2 q k^T, a sum of N x N matrices.
/// model::distance_logits, the reference of other rows, is already twice as fast.
///   q, k [N, d], lambda []  ->  []
Tensor textbook_loss(const Tensor& q, const Tensor& k, const Tensor& lambda, double tau);

}  // namespace adassl::bench
