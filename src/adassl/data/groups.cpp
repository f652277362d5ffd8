#include "adassl/data/groups.h"

#include <algorithm>
#include <functional>
#include <regex>
#include <unordered_map>

#include "adassl/core/error.h"
#include "adassl/core/text.h"

namespace adassl::data {
namespace {

/// Groups by text keys, which are numbered in sorted order at the end.
Groups by_keys(int64_t count, const std::function<std::string(int64_t)>& key_of) {
  Groups out;
  out.of.reserve(static_cast<size_t>(count));
  std::unordered_map<std::string, int32_t> known;
  for (int64_t i = 0; i < count; ++i) {
    std::string key = key_of(i);
    const auto next = static_cast<int32_t>(known.size());
    out.of.push_back(key.empty() ? Groups::kNone
                                 : known.try_emplace(std::move(key), next).first->second);
  }
  std::vector<std::pair<std::string, int32_t>> sorted(known.begin(), known.end());
  std::ranges::sort(sorted);
  std::vector<int32_t> renumbered(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    renumbered[static_cast<size_t>(sorted[i].second)] = static_cast<int32_t>(i);
    out.keys.push_back(std::move(sorted[i].first));
  }
  for (int32_t& group : out.of) {
    if (group >= 0) group = renumbered[static_cast<size_t>(group)];
  }
  return out;
}

/// The words of a column are keys already, in sorted order.
Groups by_words(const DataColumn& column) {
  Groups out{{column.codes.begin(), column.codes.end()}, column.words};
  if (!out.keys.front().empty()) return out;
  out.keys.erase(out.keys.begin());  // an empty word is no key
  for (int32_t& group : out.of) --group;
  return out;
}

Groups by_pattern(const SampleSet& samples, const std::string& pattern, std::string_view where) {
  std::regex expression;
  try {
    expression.assign(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw Error(
        join("[", where, "] expected a regular expression, got '", pattern, "': ", error.what()));
  }
  Groups out = by_keys(samples.count(), [&](int64_t i) -> std::string {
    const std::string name = samples.name(i);
    std::smatch match;
    try {
      if (!std::regex_search(name, match, expression)) return "";
    } catch (const std::regex_error& error) {
      throw Error(join("[", where, "] '", pattern, "' is too complex for '", name, "'"));
    }
    return match.size() > 1 ? match[1].str() : match[0].str();
  });
  ADASSL_CHECK(!out.keys.empty(), "[", where,
               "] expected an expression that matches names such as '", samples.name(0), "', got '",
               pattern, "', which matches none");
  return out;
}

}  // namespace

Groups group_by(const SampleSet& samples, const std::string& by, std::string_view where) {
  ADASSL_CHECK(!by.empty(), "[", where,
               "] expected folder, a column or a regular expression over the paths, got nothing");
  if (const DataColumn* column = find_column(samples.columns(), by)) {
    if (column->is_text()) return by_words(*column);
    return by_keys(samples.count(), [&](int64_t i) { return column->text(i); });
  }
  if (by.find_first_of("([\\.*+?^$|") != std::string::npos) return by_pattern(samples, by, where);
  require_column(samples.columns(), by, where);  // throws
  return {};
}

}  // namespace adassl::data
