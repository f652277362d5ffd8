#include "adassl/storage/idx.h"

#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/storage/dtype.h"
#include "adassl/storage/file.h"
#include "adassl/storage/gzip.h"

namespace adassl::storage {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 30;
constexpr int kUnsignedByte = 8;

/// Error unless all of `out` could be filled.
void read_header(GzipFile& file, const std::string& where, std::span<std::byte> out) {
  const size_t count = file.read(out);
  ADASSL_CHECK(count == out.size(), "[", where, "] expected an IDX header of ", out.size(),
               " more bytes, got ", count);
}

std::vector<int64_t> read_shape(GzipFile& file, const std::string& where, size_t rank) {
  std::array<std::byte, 4> word{};
  read_header(file, where, word);
  ADASSL_CHECK(word[0] == std::byte{0} && word[1] == std::byte{0}, "[", where,
               "] expected an IDX file, got something else");
  ADASSL_CHECK(std::to_integer<int>(word[2]) == kUnsignedByte, "[", where,
               "] expected an IDX file of unsigned bytes (type 8), got type ",
               std::to_integer<int>(word[2]));
  ADASSL_CHECK(std::to_integer<size_t>(word[3]) == rank, "[", where, "] expected ", rank,
               rank == 1 ? " dimension" : " dimensions", ", got ", std::to_integer<int>(word[3]));
  std::vector<int64_t> shape(rank);
  for (int64_t& extent : shape) {
    read_header(file, where, word);
    for (const std::byte digit : word) extent = extent << 8 | std::to_integer<int64_t>(digit);
  }
  return shape;
}

}  // namespace

IdxArray read_idx(const std::filesystem::path& path, size_t rank) {
  const std::string where = path.string();
  GzipFile file(path);
  IdxArray array{read_shape(file, where, rank), {}};
  const auto expected = byte_count(Dtype::kU8, array.shape);
  ADASSL_CHECK(expected && *expected <= kLargest, "[", where, "] expected at most ",
               text::bytes(static_cast<double>(kLargest)), " of data, got a header that asks for ",
               expected ? text::bytes(static_cast<double>(*expected)) : "far more");
  const uint64_t header = 4 + 4 * rank;
  ADASSL_CHECK(*expected + header <= file.most_bytes(), "[", where, "] expected ", *expected,
               " bytes of data for the shape, got a file that is too small for them");
  array.values.resize(*expected);
  const size_t count = file.read(std::as_writable_bytes(std::span(array.values)));
  ADASSL_CHECK(count == *expected, "[", where, "] expected ", *expected,
               " bytes of data for the shape, got ", count);
  std::byte further{};
  ADASSL_CHECK(file.read(std::span(&further, 1)) == 0, "[", where, "] expected ", *expected,
               " bytes of data for the shape, got more");
  return array;
}

std::string idx_header(const std::vector<int64_t>& shape) {
  std::string out{'\0', '\0', static_cast<char>(kUnsignedByte), static_cast<char>(shape.size())};
  for (const int64_t extent : shape) {
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(extent >> shift & 0xff);
  }
  return out;
}

void write_idx(const std::filesystem::path& path, const IdxArray& array) {
  const auto expected = byte_count(Dtype::kU8, array.shape);
  ADASSL_CHECK(expected && *expected == array.values.size(), "[", path.string(), "] expected ",
               expected.value_or(0), " bytes for the shape, got ", array.values.size());
  for (const int64_t extent : array.shape) {
    ADASSL_CHECK(extent <= std::numeric_limits<uint32_t>::max(), "[", path.string(),
                 "] expected dimensions below 2^32, got ", extent);
  }
  const std::string header = idx_header(array.shape);
  const std::string_view pieces[] = {
      header, {reinterpret_cast<const char*>(array.values.data()), array.values.size()}};
  write_atomically(path, pieces);
}

}  // namespace adassl::storage
