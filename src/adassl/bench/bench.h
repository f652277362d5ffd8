#pragma once

#include <string>

/// What `adassl bench` runs.
namespace adassl::bench {

struct Options {
  std::string experiment = "numerical";  // or video, convolution, data
  int repeats = 11;
  int threads = 1;
  bool scaling = false;  // numerical: also larger batches and other numbers of threads
  bool json = false;     // lines of JSON instead of a table
  std::string only;      // rows whose name contains this
  std::string records;   // a file to append to, or nothing
};

/// Measures and prints. Error if `only` names no row.
void run(const Options& options);

/// numerical and video: kernels, pieces of training steps and whole steps, ours against LibTorch's.
void run_step_bench(const Options& options);

/// convolution: every layer of some networks, forward and both gradients, in bfloat16 by kernels of
/// our own against LibTorch's in float32; then whole steps likewise, those of residual networks
/// against LibTorch's own bfloat16, too.
void run_convolution_bench(const Options& options);

/// data: decoding and two strong views at three sizes, in one thread, beside torchvision with
/// Pillow on the same files where it is installed; then whether the loader keeps up with a model
/// that only reads its batch.
void run_data_bench(const Options& options);

}  // namespace adassl::bench
