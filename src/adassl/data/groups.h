#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/data/samples/samples.h"

namespace adassl::data {

/// A division of the samples: those with the same key are one group.
struct Groups {
  static constexpr int32_t kNone = -1;  // a sample without a key belongs to no group
  std::vector<int32_t> of;              // the group of each sample
  std::vector<std::string> keys;        // of each group, sorted

  int64_t count() const { return static_cast<int64_t>(keys.size()); }
};

/// Groups the samples by `by`: "folder", the name of a column, or a regular expression over the
/// names. The key is what the expression's first parentheses match, or the whole match if it has
/// none. Names without a match and empty values are no key. `where` names who asks.
Groups group_by(const SampleSet& samples, const std::string& by, std::string_view where);

/// The members of each group, one group after the other: those of group g are
/// members[begin[g]] ... members[begin[g + 1] - 1].
struct Pools {
  std::vector<int64_t> begin;
  std::vector<int64_t> members;

  int64_t count() const { return static_cast<int64_t>(begin.size()) - 1; }
  std::span<const int64_t> operator[](int64_t g) const {
    const auto first = static_cast<size_t>(begin[static_cast<size_t>(g)]);
    return std::span(members).subspan(
        first, static_cast<size_t>(begin[static_cast<size_t>(g) + 1]) - first);
  }
};

/// `group_of` is called for each of the samples; a negative group leaves a sample out. Members keep
/// the order of `samples`.
template <class GroupOf>
Pools make_pools(std::span<const int64_t> samples, int64_t groups, const GroupOf& group_of) {
  Pools out;
  out.begin.assign(static_cast<size_t>(groups) + 1, 0);
  for (const int64_t sample : samples) {
    if (const int64_t g = group_of(sample); g >= 0) ++out.begin[static_cast<size_t>(g) + 1];
  }
  for (size_t g = 1; g < out.begin.size(); ++g) out.begin[g] += out.begin[g - 1];
  out.members.resize(static_cast<size_t>(out.begin.back()));
  std::vector<int64_t> next(out.begin.begin(), out.begin.end() - 1);
  for (const int64_t sample : samples) {
    const int64_t g = group_of(sample);
    if (g >= 0) out.members[static_cast<size_t>(next[static_cast<size_t>(g)]++)] = sample;
  }
  return out;
}

}  // namespace adassl::data
