#pragma once

#include <string>

#include "adassl/core/error.h"

namespace adassl::testing {

/// What the Error says that `call` throws: EXPECT_THAT(error_of([&] { f(); }), HasSubstr("..."));
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace adassl::testing
