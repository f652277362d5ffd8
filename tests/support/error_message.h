#pragma once

#include <string>

#include "adassl/core/error.h"

namespace adassl::testing {

/// The message of the Error that `call` throws: EXPECT_THAT(error_of([&] { f(); }),
/// HasSubstr("..."));
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
