#include "adassl/data/samples/array_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/samples/table.h"
#include "adassl/storage/npz.h"
#include "adassl/storage/safetensors.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using storage::Dtype;
using storage::NpyArray;

/// A floating-point number of 16 bits, as IEEE 754 defines it.
struct Half {
  uint16_t bits;
  explicit operator float() const {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    float size = std::ldexp(static_cast<float>(fraction), -24);
    if (exponent > 0) size = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    if (exponent == 31) size = fraction == 0 ? kInfinity : std::nanf("");
    return (bits & 0x8000) == 0 ? size : -size;
  }
};

/// The upper half of a float32.
struct BrainFloat {
  uint16_t bits;
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

/// Every byte but 0 is true, as in numpy.
struct Flag {
  uint8_t byte;
  explicit operator float() const { return byte == 0 ? 0.0F : 1.0F; }
};

template <class T>
void convert(const std::byte* from, std::span<float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));  // may be unaligned
    out[i] = static_cast<float>(value);
  }
}

/// Whether float32 could not hold all numbers of this type.
bool is_wide(Dtype dtype) {
  return dtype == Dtype::kI64 || dtype == Dtype::kI32 || dtype == Dtype::kU32;
}

DataColumn column_of(const std::string& name, const NpyArray& array) {
  DataColumn out{name};
  for (int64_t i = 0; i < array.shape[0]; ++i) {
    double value = 0;
    const std::byte* from = array.bytes.data() + static_cast<size_t>(i) * size_of(array.dtype);
    if (array.dtype == Dtype::kF64) {
      std::memcpy(&value, from, sizeof value);
    } else if (is_wide(array.dtype)) {
      value = static_cast<double>(whole_number(array, i));
    } else {
      float single = 0;
      to_floats(array, i, {&single, 1});
      value = single;
    }
    out.numbers.push_back(value);
  }
  return out;
}

using NamedArrays = std::map<std::string, NpyArray>;

NamedArrays read_npz(const fs::path& path) {
  const storage::NpzFile file(path);
  NamedArrays out;
  for (const std::string& name : file.names()) out.emplace(name, file.read(name));
  return out;
}

NamedArrays read_safetensors(const fs::path& path) {
  const auto file = storage::Safetensors::read(path);
  NamedArrays out;
  for (const std::string& name : file.names()) {
    const storage::TensorView view = file.at(name);
    out.emplace(name, NpyArray{view.shape, view.dtype, {view.bytes.begin(), view.bytes.end()}});
  }
  return out;
}

std::string chosen_array(const NamedArrays& arrays, const std::string& wanted,
                         const fs::path& path) {
  std::vector<std::string> names, candidates;
  for (const auto& [name, array] : arrays) {
    names.push_back(name);
    if (array.shape.size() > 1) candidates.push_back(name);
  }
  if (!wanted.empty()) {
    ADASSL_CHECK(arrays.contains(wanted), "[", path.string(), "] expected an array '", wanted,
                 "' (samples.array), got ", text::list(names), text::did_you_mean(wanted, names));
    return wanted;
  }
  if (names.size() == 1) return names.front();
  ADASSL_CHECK(candidates.size() == 1, "[", path.string(),
               "] expected one array with more than one dimension, got ", candidates.size(),
               "; samples.array chooses one of ", text::list(names));
  return candidates.front();
}

ArrayFile from_arrays(NamedArrays arrays, const std::string& wanted, const fs::path& path) {
  const std::string chosen = chosen_array(arrays, wanted, path);
  ArrayFile out{std::move(arrays.at(chosen)), {}};
  for (const auto& [name, array] : arrays) {
    if (name == chosen || array.shape.size() != 1 || out.values.shape.empty()) continue;
    if (array.shape[0] != out.values.shape[0]) continue;
    out.columns.push_back(column_of(name, array));
  }
  return out;
}

/// Reads the table as columns, then joins those that are values.
ArrayFile from_table(const fs::path& path, const std::vector<std::string>& labels) {
  ObservedTable table = read_observations(path, labels);
  for (const std::string& label : labels) require_column(table.columns, label, "samples.labels");
  DataColumns values;
  ArrayFile out;
  out.faults = std::move(table.faults);
  for (DataColumn& column : table.columns) {
    const bool label = column.is_text() || std::ranges::find(labels, column.name) != labels.end();
    (label ? out.columns : values).push_back(std::move(column));
  }
  ADASSL_CHECK(!values.empty(), "[", path.string(),
               "] expected at least one column of numbers besides samples.labels, got none");
  const int64_t rows = values.front().count();
  const auto width = static_cast<int64_t>(values.size());
  out.values = {{rows, width}, Dtype::kF32, {}};
  out.values.bytes.resize(static_cast<size_t>(rows * width) * sizeof(float));
  std::byte* to = out.values.bytes.data();
  for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
    for (const DataColumn& column : values) {
      const auto value = static_cast<float>(column.numbers[i]);
      std::memcpy(to, &value, sizeof value);
      to += sizeof value;
    }
  }
  return out;
}

ArrayFile read_any(const fs::path& path, const std::string& array,
                   const std::vector<std::string>& labels) {
  const std::string extension = text::lower_case(path.extension().string());
  if (extension == ".npy") return {storage::read_npy(path), {}};
  if (extension == ".npz") return from_arrays(read_npz(path), array, path);
  if (extension == ".safetensors") return from_arrays(read_safetensors(path), array, path);
  ADASSL_CHECK(extension == ".csv" || extension == ".tsv", "[", path.string(),
               "] expected a file .npy, .npz, .safetensors, .csv or .tsv, got '", extension, "'");
  return from_table(path, labels);
}

}  // namespace

void to_floats(const NpyArray& array, int64_t first, std::span<float> out) {
  const std::byte* from = array.bytes.data() + static_cast<size_t>(first) * size_of(array.dtype);
  switch (array.dtype) {
    case Dtype::kF32:
      return convert<float>(from, out);
    case Dtype::kF64:
      return convert<double>(from, out);
    case Dtype::kI64:
      return convert<int64_t>(from, out);
    case Dtype::kI32:
      return convert<int32_t>(from, out);
    case Dtype::kU32:
      return convert<uint32_t>(from, out);
    case Dtype::kI16:
      return convert<int16_t>(from, out);
    case Dtype::kU16:
      return convert<uint16_t>(from, out);
    case Dtype::kI8:
      return convert<int8_t>(from, out);
    case Dtype::kU8:
      return convert<uint8_t>(from, out);
    case Dtype::kF16:
      return convert<Half>(from, out);
    case Dtype::kBF16:
      return convert<BrainFloat>(from, out);
    case Dtype::kBool:
      return convert<Flag>(from, out);
  }
}

int64_t whole_number(const NpyArray& array, int64_t i) {
  const std::byte* from = array.bytes.data() + static_cast<size_t>(i) * size_of(array.dtype);
  if (array.dtype == Dtype::kI64) {
    int64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  if (array.dtype == Dtype::kU32) {
    uint32_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  int32_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

ArrayFile read_array_file(const fs::path& path, const std::string& array,
                          const std::vector<std::string>& labels) {
  ArrayFile out = read_any(path, array, labels);
  const NpyArray& values = out.values;
  ADASSL_CHECK(!values.shape.empty() && !values.bytes.empty(), "[", path.string(),
               "] expected rows of numbers, got an ",
               values.shape.empty() ? "array without rows" : "empty array");
  return out;
}

}  // namespace adassl::data
