#pragma once

#include <filesystem>
#include <iostream>
#include <new>

#include "adassl/core/error.h"

namespace adassl::app {

/// Calls `run` and turns an exception into one line on stderr and an exit code: 2 for a user's
/// mistake, 1 for a failure of the machine or a bug.
template <class Run>
int guarded(const Run& run) {
  const auto fail = [](const std::string& line, int code) {
    std::cerr << "adassl: " << one_line(line) << "\n";
    return code;
  };
  const auto fail_as = [&](const SystemError& error) {
    return fail(error.what(), error.path_is_wrong() ? 2 : 1);
  };
  try {
    return run();
  } catch (const SystemError& error) {
    return fail_as(error);
  } catch (const Error& error) {
    return fail(error.what(), 2);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail_as(SystemError(join("[", error.path1().string(), "] ", error.code().message()),
                               error.code().value()));
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

}  // namespace adassl::app
