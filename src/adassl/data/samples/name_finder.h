#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adassl/data/samples/names.h"

namespace adassl::data {

/// Finds samples by their names or by a part of them that only one sample has: the name without
/// extension, the last part of the path, or that without extension. The names must outlive it.
class NameFinder {
 public:
  explicit NameFinder(const Names& names);
  /// The number of the sample; -1 if there is none or more than one.
  int64_t find(std::string_view name) const;

 private:
  static constexpr size_t kForms = 4;
  std::string_view part(size_t form, uint32_t i) const;

  const Names& names_;
  std::array<std::vector<uint32_t>, kForms> sorted_;
};

}  // namespace adassl::data
