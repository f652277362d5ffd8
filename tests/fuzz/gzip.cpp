#include "adassl/storage/gzip.h"

#include <algorithm>
#include <array>

#include "fuzz/harness.h"

namespace adassl::storage {
namespace {

constexpr size_t kMost = size_t{1} << 16;  // a few bytes may unpack to very many

/// Appends what comes out of the file when it is read in pieces of this size, up to kMost bytes.
void unpack(const std::filesystem::path& path, size_t piece, std::string& out) {
  GzipFile file(path);
  std::array<std::byte, 4096> buffer{};
  for (size_t count = piece; count == piece && out.size() < kMost;) {
    count = file.read(std::span(buffer).first(piece));
    fuzz::require(count <= piece, "a piece is no longer than what was asked for");
    out.append(reinterpret_cast<const char*>(buffer.data()), count);
    fuzz::require(out.size() <= file.most_bytes(), "no more comes out than most_bytes()");
  }
}

}  // namespace
}  // namespace adassl::storage

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  std::string large, small;
  const bool worked = fuzz::accepted([&] { storage::unpack(path, 4096, large); });
  const bool again = fuzz::accepted([&] { storage::unpack(path, 61, small); });
  if (std::max(large.size(), small.size()) >= storage::kMost) return 0;
  fuzz::require(worked == again && (!worked || large == small),
                "the size of the pieces does not matter");
  return 0;
}
