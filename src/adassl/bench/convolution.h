#pragma once

#include <string>

namespace adassl::bench {

struct ConvolutionBench {
  int repeats = 11;
  int threads = 1;
  bool json = false;
  std::string only;     // rows whose name contains this
  std::string records;  // a file to append to, or nothing
};

/// `adassl bench convolution`: every layer of some networks, forward and both gradients, in
/// bfloat16 by kernels of our own against LibTorch's in float32; then whole steps likewise.
void run_convolution_bench(const ConvolutionBench& arguments);

}  // namespace adassl::bench
