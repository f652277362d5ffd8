#include "adassl/storage/checksum.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <xxhash.h>

namespace adassl::storage {

namespace {

XXH3_state_t* xxh3(const std::shared_ptr<void>& state) {
  return static_cast<XXH3_state_t*>(state.get());
}

}  // namespace

Checksum::Checksum()
    : state_(XXH3_createState(), [](void* p) { XXH3_freeState(static_cast<XXH3_state_t*>(p)); }) {
  XXH3_128bits_reset(xxh3(state_));
}

Checksum& Checksum::operator=(const Checksum& other) {
  XXH3_copyState(xxh3(state_), xxh3(other.state_));
  return *this;
}

Checksum& Checksum::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(xxh3(state_), bytes.data(), bytes.size());
  return *this;
}

Checksum& Checksum::add_field(std::string_view text) {
  return add(std::to_string(text.size())).add(":").add(text);
}

std::string Checksum::hex() const {
  const XXH128_hash_t value = XXH3_128bits_digest(xxh3(state_));
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

uint64_t short_sum(std::span<const std::byte> bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Checksum sum_of(const InputFile& file, uint64_t bytes) {
  Checksum sum;
  std::vector<std::byte> block(std::min<uint64_t>(bytes, 1 << 20));
  for (uint64_t at = 0; at < bytes; at += block.size()) {
    const auto part = std::span(block).first(std::min<uint64_t>(block.size(), bytes - at));
    file.read_at(at, part);
    sum.add(part);
  }
  return sum;
}

}  // namespace adassl::storage
