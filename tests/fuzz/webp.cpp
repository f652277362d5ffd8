#include "fuzz/image.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  adassl::fuzz::try_image(data, size);
  return 0;
}
