#include "adassl/storage/npz.h"

#include "fuzz/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  fuzz::accepted([&] {
    const storage::NpzFile file(path);
    for (const std::string& name : file.names()) {
      fuzz::accepted([&] {
        const storage::NpyArray array = file.read(name);
        fuzz::require(storage::byte_count(array.dtype, array.shape) == array.bytes.size(),
                      "an array has the bytes that its shape asks for");
      });
    }
  });
  return 0;
}
