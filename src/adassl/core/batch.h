#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace adassl {

/// An allocator that leaves new elements uninitialized, for vectors that are overwritten anyway.
template <class T>
struct Uncleared : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Uncleared<U>;
  };
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

/// The element type of an array: float32, or uint8 for the pixels of images.
enum class Element { kFloat32, kUint8 };

/// Plain numbers with a shape; the first dimension counts samples.
struct Array {
  std::vector<int64_t> shape;
  std::vector<float, Uncleared<float>> values = {};     // the data of a float32 array
  std::vector<uint8_t, Uncleared<uint8_t>> bytes = {};  // the data of a uint8 array

  Element element() const { return bytes.empty() ? Element::kFloat32 : Element::kUint8; }
  int64_t rows() const { return shape.empty() ? 0 : shape[0]; }
  int64_t columns() const {
    const size_t count = bytes.empty() ? values.size() : bytes.size();
    return rows() == 0 ? 0 : static_cast<int64_t>(count) / rows();
  }
  bool empty() const { return values.empty() && bytes.empty(); }
};

/// An array of this shape; its elements are uninitialized.
inline Array make_array(std::vector<int64_t> shape, Element element = Element::kFloat32) {
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  Array out{std::move(shape)};
  if (element == Element::kFloat32) out.values.resize(count);
  if (element == Element::kUint8) out.bytes.resize(count);
  return out;
}

inline Array make_zeros(std::vector<int64_t> shape) {
  Array out = make_array(std::move(shape));
  std::fill(out.values.begin(), out.values.end(), 0.0F);
  return out;
}

/// Row i of a float32 array; an empty span if the array holds no float32 values.
inline std::span<float> row_of(Array& array, int64_t i) {
  const auto width = static_cast<size_t>(array.values.empty() ? 0 : array.columns());
  return std::span(array.values).subspan(static_cast<size_t>(i) * width, width);
}
/// Row i of a uint8 array; an empty span if the array holds no bytes.
inline std::span<uint8_t> bytes_of(Array& array, int64_t i) {
  const auto width = static_cast<size_t>(array.bytes.empty() ? 0 : array.columns());
  return std::span(array.bytes).subspan(static_cast<size_t>(i) * width, width);
}

/// B pairs: what a data source hands to a model. Arrays that a source cannot provide stay empty.
struct Batch {
  Array x;              // [B, ...]  an observation
  Array x_plus;         // [B, ...]  its pair x+
  Array helper;         // [B, ...]  x++: another view of x+; r for x -> x+ is inferred from it
  Array mirror_helper;  // [B, ...]  another view of x; serves the direction x+ -> x
  Array change;         // [B, K]    the true change of the factors from x to x+
  Array factors;        // [B, F]    the true factors of x
  Array factors_plus;   // [B, F]    the true factors of x+
  Array classes_plus;   // [B, K]    the true classes of x+
};

/// Describes one value of the ground truth about an observation: a factor or a label.
struct Column {
  enum class Kind { kReal, kAngle, kClass, kBinary };
  std::string name;
  Kind kind = Kind::kReal;
  int64_t classes = 0;  // for kClass: labels are 0 ... classes - 1

  /// True for a number (a regression target), false for a class label.
  bool is_factor() const { return kind == Kind::kReal || kind == Kind::kAngle; }
  /// The number of different labels; 0 for a number.
  int64_t class_count() const {
    if (kind == Kind::kBinary) return 2;
    return kind == Kind::kClass ? classes : 0;
  }
};

/// Single observations and their ground truth, for probes.
struct Samples {
  Array x;      // [N, ...]
  Array known;  // [N, C], one column for each `Column` of the source; empty if there are none
};

/// S observations, each with n sampled futures.
struct Futures {
  Array x;             // [S, ...]
  Array x_plus;        // [S * n, ...]  the n futures of the first x, then those of the second, ...
  Array change;        // [S * n, K]
  Array factors_plus;  // [S * n, F]
};

}  // namespace adassl
