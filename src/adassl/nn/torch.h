#pragma once

/// The parts of LibTorch that the project uses: precompiled, and far less than torch/torch.h.
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
