#include "adassl/storage/npy.h"

#include "fuzz/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  fuzz::accepted([&] {
    const storage::NpyArray array = storage::read_npy(path);
    storage::write_npy(fuzz::copy_of(path), array);
    const storage::NpyArray again = storage::read_npy(fuzz::copy_of(path));
    fuzz::require(
        array.dtype == again.dtype && array.shape == again.shape && array.bytes == again.bytes,
        "a written array is the one that was read");
  });
  return 0;
}
