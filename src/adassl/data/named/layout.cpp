#include "adassl/data/named/layout.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/storage/file.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestText = uintmax_t{4} << 30;

}  // namespace

TextLines::TextLines(const fs::path& path)
    : name_(path.string()), text_(storage::read_file(path, kLargestText)) {}

bool TextLines::next(std::vector<std::string_view>& fields) {
  fields.clear();
  while (fields.empty() && at_ < text_.size()) {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = std::string_view(text_).substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    ADASSL_CHECK(line.find('\0') == std::string_view::npos, "[", where(),
                 "] expected text, got a zero byte");
    constexpr std::string_view kBlanks = " \t\r";
    for (size_t from = line.find_first_not_of(kBlanks); from != std::string_view::npos;) {
      const size_t to = std::min(line.find_first_of(kBlanks, from), line.size());
      fields.push_back(line.substr(from, to - from));
      from = line.find_first_not_of(kBlanks, to);
    }
  }
  return !fields.empty();
}

std::string TextLines::where() const { return join(name_, ":", line_); }

std::optional<int64_t> whole_number_in(std::string_view field) {
  int64_t out = 0;
  const char* end = field.data() + field.size();
  const auto [stop, code] = std::from_chars(field.data(), end, out);
  return code == std::errc() && stop == end ? std::optional(out) : std::nullopt;
}

void require_part(const Publication& publication, const fs::path& folder, const fs::path& part) {
  std::error_code code;
  ADASSL_CHECK(fs::exists(folder / part, code), "[", folder.string(), "] expected ",
               publication.name, ", got no ", part.string(), "; ", publication.address);
}

void require_inside(std::string_view name, const std::string& where) {
  const fs::path path(name);
  const bool up = std::ranges::any_of(path, [](const fs::path& part) { return part == ".."; });
  ADASSL_CHECK(!path.empty() && path.is_relative() && !up, "[", where,
               "] expected a path below the folder, got '", name, "'");
}

void compare(int64_t found, int64_t published, const std::string& what,
             std::vector<std::string>& remarks) {
  if (found == published) return;
  remarks.push_back(fmt::format("{} {}, where {} were published", found, what, published));
}

DataColumn split_column(const std::vector<SplitPart>& parts) {
  DataColumn out{kSplitColumn};
  for (const SplitPart& part : parts) {
    if (part.count > 0) out.words.push_back(part.name);
  }
  std::ranges::sort(out.words);
  for (const SplitPart& part : parts) {
    const auto code = std::ranges::find(out.words, part.name) - out.words.begin();
    out.codes.insert(out.codes.end(), static_cast<size_t>(part.count), static_cast<uint32_t>(code));
  }
  return out;
}

DataColumn label_column(const std::string& name, const std::vector<int32_t>& labels) {
  const std::set<int32_t> known(labels.begin(), labels.end());
  const size_t width = known.empty() ? 1 : std::to_string(*known.rbegin()).size();
  DataColumn out{name};
  std::map<int32_t, uint32_t> codes;
  for (const int32_t label : known) {
    codes.emplace(label, static_cast<uint32_t>(out.words.size()));
    out.words.push_back(fmt::format("{:0{}}", label, width));
  }
  out.codes.reserve(labels.size());
  for (const int32_t label : labels) out.codes.push_back(codes.at(label));
  return out;
}

}  // namespace adassl::data
