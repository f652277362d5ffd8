#pragma once

#include <vector>

#include "adassl/bench/measure.h"
#include "adassl/nn/convolution.h"
#include "adassl/nn/tensors.h"

/// What `adassl bench` measures.
namespace adassl::bench {

constexpr int64_t kBatch = 2048;  // of the numerical experiment

/// Some normal numbers, the same ones in every run.
inline Tensor normal(int64_t rows, int64_t columns, const char* purpose) {
  return nn::normal(rows, columns, {1, purpose}, torch::empty({0}));
}

/// Such numbers as pictures [images, channels, height, width], channels last.
inline Tensor pictures(const std::vector<int64_t>& shape, const char* purpose) {
  return normal(shape[0], shape[1] * shape[2] * shape[3], purpose)
      .view(shape)
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

/// The pieces of a step of the numerical experiment, at its sizes, but for the loss.
std::vector<Case> kernel_cases(int threads);
/// The contrastive loss at the batch of the numerical experiment, against two references.
std::vector<Case> contrastive_cases(int threads);
/// Whole steps, but for the data.
std::vector<Case> step_cases(int threads);

/// The contrastive loss over N and over d.
std::vector<Case> contrastive_scaling_cases(int threads);
/// Whole steps over the number of threads.
std::vector<Case> step_scaling_cases(int threads);

/// The video models: convolutions one by one, the pieces of a step, whole steps.
std::vector<Case> video_cases(int threads);

/// Whole steps of them in bfloat16 against float32.
std::vector<Case> video_precision_cases(int threads);

/// Of one pass over pictures of this shape [images, channels, height, width], but for taps that
/// fall on the padding.
double convolution_flops(const nn::ConvolutionShape& shape, at::IntArrayRef x);

/// A named part of a model.
template <class Part>
Part& part_of(const torch::nn::Module& module, const std::string& name) {
  return dynamic_cast<Part&>(*module.named_children()[name]);
}

/// The contrastive loss as one would write it down: |q|^2 + |k|^2 - 2 q k^T, sums of N x N
/// matrices. model::distance_logits, the reference of other rows, is twice as fast already.
///   q, k [N, d], lambda []  ->  []
Tensor textbook_loss(const Tensor& q, const Tensor& k, const Tensor& lambda, double tau);

}  // namespace adassl::bench
