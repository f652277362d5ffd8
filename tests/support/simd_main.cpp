#include <iostream>

#include <gmock/gmock.h>

#include "adassl/core/error.h"
#include "adassl/kernels/simd.h"

/// The main of test programs that ctest runs on each instruction set. Registering the tests asks
/// for the set already, so that an ADASSL_SIMD which this machine lacks would end them by an
/// exception that nobody catches. It ends here, in the line by which ctest knows that the tests are
/// skipped.
int main(int argc, char** argv) {
  try {
    adassl::kernels::instruction_set();
  } catch (const adassl::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
