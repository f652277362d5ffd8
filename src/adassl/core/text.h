#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adassl::text {

/// The candidate with the smallest edit distance to `word`; empty when none is close enough to be
/// what the user meant.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b, c"
std::string list(const std::vector<std::string>& words);

/// "2, 3, 4": the extents of an array.
std::string extents(const std::vector<int64_t>& shape);

/// "1.5 GiB", "12 KiB"
std::string bytes(double count);

/// "1:02:03", "2:03", "0:07": what an ETA looks like.
std::string duration(double seconds);

std::vector<std::string> split(std::string_view text, char separator);
std::string trim(std::string_view text);

/// With a to z for A to Z; other characters stay as they are.
std::string lower_case(std::string_view text);

/// The shortest decimal text that reads back as the same double.
std::string shortest(double value);

/// "2026-01-31T12:00:00Z"
std::string utc_now();

/// 16 hexadecimal digits.
std::string hex(uint64_t value);

}  // namespace adassl::text
