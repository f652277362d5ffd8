#include "adassl/storage/idx.h"

#include "fuzz/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  for (const size_t rank : {1, 3}) {  // labels and images
    fuzz::accepted([&] {
      const storage::IdxArray array = storage::read_idx(path, rank);
      fuzz::require(array.shape.size() == rank, "an array has the rank that was asked for");
      storage::write_idx(fuzz::copy_of(path), array);
      const storage::IdxArray again = storage::read_idx(fuzz::copy_of(path), rank);
      fuzz::require(array.shape == again.shape && array.values == again.values,
                    "a written array is the one that was read");
    });
  }
  return 0;
}
