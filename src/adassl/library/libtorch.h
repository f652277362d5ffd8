#pragma once

#include <utility>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/nn/torch.h"

namespace adassl::library {

/// Calls f on behalf of a program of the user's: settings that LibTorch's libraries read at their
/// first use are made first, and an exception of LibTorch becomes a Failure. The original text
/// would contain a stack trace.
template <class F>
auto call(F&& f) {
  static const bool prepared = [] {
    host::cap_onednn();
    host::use_one_blas_thread();
    return true;
  }();
  static_cast<void>(prepared);
  try {
    return std::forward<F>(f)();
  } catch (const c10::Error& error) {
    throw Failure(join("LibTorch: ", error.what_without_backtrace()));
  }
}

}  // namespace adassl::library
