#include "adassl/storage/safetensors.h"

#include <algorithm>

#include "fuzz/harness.h"

namespace adassl::storage {
namespace {

bool same(const TensorView& a, const TensorView& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
         std::ranges::equal(a.bytes, b.bytes);
}

/// What was read and written again is the same file to a reader.
void require_round_trip(const Safetensors& file, const std::filesystem::path& copy) {
  std::vector<TensorView> tensors;
  for (const std::string& name : file.names()) tensors.push_back(file.at(name));
  write_safetensors(copy, tensors, file.metadata());
  const Safetensors again = Safetensors::read(copy);
  fuzz::require(again.names() == file.names(), "a written file has the tensors that were read");
  fuzz::require(again.metadata() == file.metadata(), "a written file keeps the metadata");
  for (const TensorView& tensor : tensors) {
    fuzz::require(same(tensor, again.at(tensor.name)), "a written tensor is the one that was read");
  }
}

}  // namespace
}  // namespace adassl::storage

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  fuzz::accepted([&] {
    const auto file = storage::Safetensors::read(path);
    storage::require_round_trip(file, fuzz::copy_of(path));
    fuzz::accepted([&] { file.at("no such tensor"); });
  });
  return 0;
}
