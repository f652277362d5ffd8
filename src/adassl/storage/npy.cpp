#include "adassl/storage/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/storage/file.h"

namespace adassl::storage {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kLargestHeader = 65'535;
constexpr size_t kLargestRank = 64;

struct Description {
  std::string_view text;
  Dtype dtype;
};
constexpr Description kDescriptions[] = {
    {"<f4", Dtype::kF32}, {"<f8", Dtype::kF64}, {"<i8", Dtype::kI64}, {"<i4", Dtype::kI32},
    {"<i2", Dtype::kI16}, {"|i1", Dtype::kI8},  {"<u4", Dtype::kU32}, {"<u2", Dtype::kU16},
    {"|u1", Dtype::kU8},  {"<f2", Dtype::kF16}, {"|b1", Dtype::kBool}};

/// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } and accepts no other keys.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  NpyArray parse() {
    expect('{');
    while (!take('}')) {
      field(word());
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    check(rest_.empty(), "nothing after the closing '}'");
    check(dtype_ && shape_ && fortran_order_, "'descr', 'fortran_order' and 'shape'");
    ADASSL_CHECK(!*fortran_order_ || shape_->size() <= 1, "[", where_,
                 "] expected an array in C order, got Fortran order; save "
                 "numpy.ascontiguousarray(a) instead");
    return {*shape_, *dtype_, {}};
  }

 private:
  void field(std::string_view key) {
    expect(':');
    if (key == "descr" && !dtype_) {
      dtype_ = dtype_of(word());
    } else if (key == "fortran_order" && !fortran_order_) {
      fortran_order_ = boolean();
    } else if (key == "shape" && !shape_) {
      shape_ = tuple();
    } else {
      check(false, "'descr', 'fortran_order' and 'shape', each once");
    }
  }

  Dtype dtype_of(std::string_view description) const {
    for (const Description& known : kDescriptions) {
      if (known.text == description) return known.dtype;
    }
    const bool readable = std::all_of(description.begin(), description.end(),
                                      [](char c) { return c >= ' ' && c <= '~'; });
    throw Error(join("[", where_, "] expected float16, float32, float64, int8 to int64, uint8 to ",
                     "uint32 or bool in little endian, got '",
                     readable ? description.substr(0, 40) : "?", "'"));
  }

  std::string_view word() {
    skip_blanks();
    check(rest_.starts_with('\'') || rest_.starts_with('"'), "a quoted word");
    const size_t end = rest_.find(rest_[0], 1);
    check(end != std::string_view::npos, "a closing quote");
    const std::string_view found = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return found;
  }

  bool boolean() {
    skip_blanks();
    const bool value = rest_.starts_with("True");
    check(value || rest_.starts_with("False"), "True or False");
    rest_.remove_prefix(value ? 4 : 5);
    return value;
  }

  std::vector<int64_t> tuple() {
    std::vector<int64_t> numbers;
    expect('(');
    while (!take(')')) {
      numbers.push_back(number());
      check(numbers.size() <= kLargestRank, "at most 64 dimensions");
      if (take(',')) continue;
      check(numbers.size() > 1, "a tuple, as in (3,)");
      expect(')');
      break;
    }
    return numbers;
  }

  int64_t number() {
    skip_blanks();
    int64_t value = -1;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    check(code == std::errc() && value >= 0, "a size of at least 0 that fits in 64 bits");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
  }
  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { check(take(c), fmt::format("'{}'", c)); }
  void check(bool condition, std::string_view wish) const {
    ADASSL_CHECK(condition, "[", where_, "] damaged .npy header: expected ", wish);
  }

  std::string_view rest_;
  const std::string& where_;
  std::optional<Dtype> dtype_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<int64_t>> shape_;
};

std::string header_text(std::string_view description, const std::vector<int64_t>& shape) {
  std::string sizes = fmt::format("{}", fmt::join(shape, ", "));
  if (shape.size() == 1) sizes += ',';
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", description, sizes);
  // As numpy does: leave room for a first dimension of 21 digits, then pad to a multiple of 64
  // bytes.
  if (!shape.empty()) text.append(21 - std::to_string(shape[0]).size(), ' ');
  const size_t prefix = kMagic.size() + 4;
  text.append(64 - (prefix + text.size() + 1) % 64, ' ');
  return text + '\n';
}

uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  return value;
}

/// Reads and checks everything before the data, which begins at `begin` and ends with the file.
template <class ReadAt>
NpyArray read_header(uint64_t size, const ReadAt& read_at, const std::string& where,
                     uint64_t& begin) {
  std::array<std::byte, 12> prefix{};
  ADASSL_CHECK(size >= prefix.size(), "[", where, "] expected a .npy file, got only ", size,
               " bytes");
  read_at(0, std::span<std::byte>(prefix));
  ADASSL_CHECK(std::equal(kMagic.begin(), kMagic.end(), reinterpret_cast<char*>(prefix.data())),
               "[", where, "] expected a .npy file, got something else");
  const int version = std::to_integer<int>(prefix[6]);
  ADASSL_CHECK(version == 1 || version == 2, "[", where, "] expected .npy version 1 or 2, got ",
               version);
  const size_t length_bytes = version == 1 ? 2 : 4;
  const uint64_t length = little_endian(std::span(prefix).subspan(8, length_bytes));
  const uint64_t header_begin = 8 + length_bytes;
  ADASSL_CHECK(length <= kLargestHeader && length <= size - header_begin, "[", where,
               "] damaged .npy header: ", length, " bytes in a file of ", size);
  std::string header(length, '\0');
  read_at(header_begin, std::as_writable_bytes(std::span(header)));
  begin = header_begin + length;
  NpyArray array = HeaderParser(header, where).parse();
  const auto expected = byte_count(array.dtype, array.shape);
  ADASSL_CHECK(expected, "[", where, "] damaged .npy header: the shape is too large");
  ADASSL_CHECK(*expected == size - begin, "[", where, "] expected ", *expected,
               " bytes of data for the shape, got ", size - begin);
  return array;
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& path) {
  const std::string where = path.string();
  const InputFile file(path);
  uint64_t begin = 0;
  NpyArray array = read_header(
      file.size(), [&](uint64_t offset, std::span<std::byte> out) { file.read_at(offset, out); },
      where, begin);
  const uint64_t data_bytes = file.size() - begin;
  ADASSL_CHECK(data_bytes <= host::physical_memory(), "[", where,
               "] does not fit in memory: ", text::bytes(static_cast<double>(data_bytes)));
  array.bytes.resize(data_bytes);
  file.read_at(begin, array.bytes);
  return array;
}

NpyArray parse_npy(std::vector<std::byte> file, const std::string& where) {
  uint64_t begin = 0;
  NpyArray array = read_header(
      file.size(),
      [&](uint64_t offset, std::span<std::byte> out) {
        std::copy_n(file.begin() + static_cast<int64_t>(offset), out.size(), out.begin());
      },
      where, begin);
  file.erase(file.begin(), file.begin() + static_cast<int64_t>(begin));
  array.bytes = std::move(file);
  return array;
}

void write_npy(const std::filesystem::path& path, const NpyArray& array) {
  write_npy(path, array.dtype, array.shape, array.bytes);
}

std::string npy_header(Dtype dtype, const std::vector<int64_t>& shape, const std::string& where) {
  const auto* known = std::find_if(std::begin(kDescriptions), std::end(kDescriptions),
                                   [&](const Description& d) { return d.dtype == dtype; });
  ADASSL_CHECK(known != std::end(kDescriptions), "[", where,
               "] expected F16, F32, F64, I8 to I64, U8 to U32 or BOOL for a .npy file, got ",
               name_of(dtype));
  ADASSL_CHECK(shape.size() <= kLargestRank, "[", where, "] expected at most ", kLargestRank,
               " dimensions, got ", shape.size());
  const std::string text = header_text(known->text, shape);
  return std::string(kMagic) + '\x01' + '\0' + static_cast<char>(text.size() & 0xff) +
         static_cast<char>(text.size() >> 8) + text;
}

void write_npy(const std::filesystem::path& path, Dtype dtype, const std::vector<int64_t>& shape,
               std::span<const std::byte> bytes) {
  const std::string header = npy_header(dtype, shape, path.string());
  const auto expected = byte_count(dtype, shape);
  ADASSL_CHECK(expected && *expected == bytes.size(), "[", path.string(), "] expected ",
               expected.value_or(0), " bytes for the shape, got ", bytes.size());
  const std::string_view pieces[] = {header,
                                     {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
  write_atomically(path, pieces);
}

}  // namespace adassl::storage
