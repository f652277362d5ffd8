#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The options that are chosen for a person who names a folder or a file instead of a
/// configuration.
namespace adassl::parts {

/// What is known about the data and the machine before anything is chosen.
struct DataFacts {
  int64_t frames = 0;  // pictures in a sample: 0 for arrays, 1 for images, more for clips
  int64_t side = 0;    // the shorter side of a typical picture, in pixels
  std::vector<int64_t> shape = {};  // of an array
  int64_t pairs = 0;                // in an epoch
  bool same_sample = false;         // x and x+ are views of one sample
  double gflops = 50;               // what all threads reach on matrix products
  double minutes = 10;              // that training may take
  int64_t steps = 0;                // of the training, if they are given; then minutes do not count
};

/// One option and why it has this value.
struct Choice {
  std::string key;
  std::string value;  // as TOML
  std::string reason;
};

/// The rules, in the order in which they are printed. Every choice can be overridden.
std::vector<Choice> automatic_choices(const DataFacts& facts);

/// The means and deviations of the numbers of a row as the options that standardise them, rounded
/// to float32.
std::vector<Choice> standardising_choices(const std::vector<double>& mean,
                                          const std::vector<double>& deviation);

/// Floating-point operations of a training step for each pair, as the rules estimate them: with a
/// residual network of depth 18, `width` channels at first and `features` x `features` pixels
/// behind its stem.
double resnet18_step_flops(int64_t width, int64_t features);

}  // namespace adassl::parts
