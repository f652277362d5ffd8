#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

namespace adassl::testing {

inline std::string little_endian(uint64_t value, size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
  return out;
}

/// Raw deflate, without any header.
inline std::string deflated(const std::string& text) {
  z_stream stream{};
  if (::deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("no deflate");
  }
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

/// What a ZIP archive claims about an entry, if that is not the truth.
struct ZipLie {
  int64_t size = -1;
  int64_t crc = -1;
};

/// A ZIP archive of named contents.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files,
                          bool compress, const ZipLie& lie = {}) {
  std::string out, directory;
  for (const auto& [name, content] : files) {
    const std::string data = compress ? deflated(content) : content;
    const auto crc =
        lie.crc >= 0 ? static_cast<uint64_t>(lie.crc)
                     : ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    const auto size = lie.size >= 0 ? static_cast<uint64_t>(lie.size) : content.size();
    const std::string common =
        little_endian(20, 2) + little_endian(0, 2) + little_endian(compress ? 8 : 0, 2) +
        little_endian(0, 4) + little_endian(crc, 4) + little_endian(data.size(), 4) +
        little_endian(size, 4) + little_endian(name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + common + little_endian(0, 10) +
                 little_endian(out.size(), 4) + name;
    out += "PK\x03\x04" + common + name + data;
  }
  const size_t offset = out.size();
  return out + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(files.size(), 2) +
         little_endian(files.size(), 2) + little_endian(directory.size(), 4) +
         little_endian(offset, 4) + little_endian(0, 2);
}

}  // namespace adassl::testing
