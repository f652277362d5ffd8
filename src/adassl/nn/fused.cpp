#include "adassl/nn/fused.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"

namespace adassl::nn {
namespace {

std::atomic<Kernels> kernels_in_use = Kernels::kFused;
std::atomic<Precision> precision_in_use = Precision::kFloat32;

struct Notes {
  std::mutex mutex;
  std::vector<std::string> lines;
};

Notes& notes() {
  static Notes the_notes;
  return the_notes;
}

}  // namespace

void use_precision(Precision precision) { precision_in_use = precision; }

Precision precision() { return precision_in_use; }

void use_kernels(Kernels kernels) { kernels_in_use = kernels; }

void use_kernels(Kernels kernels, int threads, bool falls_back) {
  const bool ours = kernels == Kernels::kFused;
  use_kernels(kernels);
  kernels::instruction_set();  // finds it out with a child process: better before there are threads
  kernels::set_threads(ours ? threads : 1);
  const int theirs = ours && !falls_back ? 1 : threads;
  // Each call starts threads that spin for some 25 ms before they sleep.
  if (at::get_num_threads() != theirs) at::set_num_threads(theirs);
}

bool fused() { return kernels_in_use == Kernels::kFused; }

bool fused_covers(const Tensor& tensor) {
  return tensor.defined() && tensor.scalar_type() == torch::kFloat32 && tensor.device().is_cpu() &&
         tensor.layout() == torch::kStrided;
}

void require_first_derivative(const char* where) {
  ADASSL_CHECK(!torch::GradMode::is_enabled(), "[", where,
               "] has no second derivative; the reference kernels do");
}

WithKernels::WithKernels(Kernels kernels) : before_(kernels_in_use.exchange(kernels)) {}

WithKernels::~WithKernels() { kernels_in_use = before_; }

WithPrecision::WithPrecision(Precision precision) : before_(precision_in_use.exchange(precision)) {}

WithPrecision::~WithPrecision() { precision_in_use = before_; }

void note_fallback(const std::string& line) {
  const std::lock_guard lock(notes().mutex);
  auto& lines = notes().lines;
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

std::vector<std::string> take_fallback_notes() {
  const std::lock_guard lock(notes().mutex);
  return std::exchange(notes().lines, {});
}

}  // namespace adassl::nn
