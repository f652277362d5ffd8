#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include <c10/core/CPUAllocator.h>
#include <malloc.h>

namespace adassl::testing {

/// Counts the bytes of all tensors that are made while it exists, and their peak.
class TensorMemory final : public c10::Allocator {
 public:
  TensorMemory() : before_(c10::GetCPUAllocator()) {
    now_ = peak_ = 0;
    c10::SetCPUAllocator(this);
  }
  ~TensorMemory() override { c10::SetCPUAllocator(before_); }
  TensorMemory(const TensorMemory&) = delete;
  TensorMemory& operator=(const TensorMemory&) = delete;

  static int64_t now() { return now_; }
  static int64_t peak() { return peak_; }

  c10::DataPtr allocate(size_t size) const override {
    constexpr size_t kLine = 64;
    void* data = std::aligned_alloc(kLine, (std::max<size_t>(size, 1) + kLine - 1) / kLine * kLine);
    now_ += static_cast<int64_t>(malloc_usable_size(data));
    for (int64_t top = peak_; now_ > top && !peak_.compare_exchange_weak(top, now_);) {
    }
    return {data, data, &give_back, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }

 private:
  static void give_back(void* data) {
    now_ -= static_cast<int64_t>(malloc_usable_size(data));
    std::free(data);
  }
  static inline std::atomic<int64_t> now_, peak_;
  c10::Allocator* before_;
};

}  // namespace adassl::testing
