#pragma once

/// The parts of LibTorch that the project uses. They are much smaller than torch/torch.h, and this
/// header is precompiled.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>
#pragma GCC diagnostic pop

namespace adassl {
using torch::Tensor;
}
