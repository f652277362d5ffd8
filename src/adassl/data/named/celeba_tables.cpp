#include "adassl/data/named/celeba_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/named/layout.h"
#include "adassl/data/samples/table.h"
#include "adassl/storage/checksum.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using FieldsOfLine = std::vector<std::string_view>;

void add_file(FaceTable& out, std::string_view name, const std::string& where) {
  require_inside(name, where);
  out.files.emplace_back(name);
}

void add_value(std::vector<uint8_t>& column, std::string_view value, bool signs,
               const std::string& where, const std::string& attribute) {
  const auto number = whole_number_in(value);
  const bool fits = number && (*number == 1 || *number == (signs ? -1 : 0));
  ADASSL_CHECK(fits, "[", where, "] ", attribute, ": expected ", signs ? "1 or -1" : "0 or 1",
               ", got '", value, "'");
  column.push_back(*number == 1 ? 1 : 0);
}

int32_t person_in(std::string_view field, const std::string& where) {
  const auto number = whole_number_in(field);
  ADASSL_CHECK(number && *number >= 0 && *number <= std::numeric_limits<int32_t>::max(), "[", where,
               "] expected the number of a person, got '", field, "'");
  return static_cast<int32_t>(*number);
}

std::vector<std::string> words_of(const FieldsOfLine& fields) {
  return {fields.begin(), fields.end()};
}

void require_different(const FaceTable& faces, const std::string& where) {
  std::unordered_set<std::string_view> known;
  for (const std::string& file : faces.files) {
    ADASSL_CHECK(known.insert(file).second, "[", where, "] expected one row for each file, got '",
                 file, "' twice");
  }
}

FaceTable read_attributes(const fs::path& path) {
  TextLines lines(path);
  FieldsOfLine fields;
  const bool counted = lines.next(fields) && fields.size() == 1;
  const auto count = counted ? whole_number_in(fields.front()) : std::nullopt;
  ADASSL_CHECK(count && *count > 0, "[", path.string(),
               "] expected the number of images in the first line");
  FaceTable out;
  lines.next(fields);
  out.attributes = words_of(fields);
  out.values.resize(out.attributes.size());
  while (lines.next(fields)) {
    ADASSL_CHECK(fields.size() == out.attributes.size() + 1, "[", lines.where(),
                 "] expected a file and ", out.attributes.size(), " values, got ", fields.size(),
                 " fields");
    add_file(out, fields[0], lines.where());
    for (size_t k = 1; k < fields.size(); ++k) {
      add_value(out.values[k - 1], fields[k], /*signs=*/true, lines.where(), out.attributes[k - 1]);
    }
  }
  ADASSL_CHECK(out.count() == *count, "[", path.string(), "] expected ", *count,
               " rows, as the first line says, got ", out.count());
  require_different(out, path.string());
  return out;
}

/// The columns of a prepared table by their meaning.
struct Header {
  std::vector<std::string> names;
  int64_t file = -1;
  int64_t person = -1;

  bool is_attribute(int64_t column) const { return column != file && column != person; }
};

Header read_header(TextLines& lines, const fs::path& path) {
  FieldsOfLine fields;
  ADASSL_CHECK(lines.next(fields), "[", path.string(), "] expected a header, got an empty file");
  Header out{.names = words_of(fields)};
  const auto person = std::ranges::find(out.names, "identity");
  if (person != out.names.end()) out.person = person - out.names.begin();
  out.file = key_column(out.names);
  ADASSL_CHECK(out.file >= 0, "[", lines.where(), "] expected a column filename, got ",
               text::list(out.names));
  return out;
}

}  // namespace

FaceTable read_raw_faces(const fs::path& attributes, const fs::path& identities) {
  FaceTable out = read_attributes(attributes);
  std::unordered_map<std::string_view, size_t> row_of;
  for (size_t row = 0; row < out.files.size(); ++row) row_of.emplace(out.files[row], row);
  constexpr int32_t kUnknownPerson = -1;
  out.people.assign(out.files.size(), kUnknownPerson);
  TextLines lines(identities);
  for (FieldsOfLine fields; lines.next(fields);) {
    ADASSL_CHECK(fields.size() == 2, "[", lines.where(),
                 "] expected a file and the number of a person, got ", fields.size(), " fields");
    const auto found = row_of.find(fields[0]);
    ADASSL_CHECK(found != row_of.end(), "[", lines.where(), "] expected a file of ",
                 attributes.filename().string(), ", got '", fields[0], "'");
    out.people[found->second] = person_in(fields[1], lines.where());
  }
  const auto unknown = std::ranges::find(out.people, kUnknownPerson);
  if (unknown != out.people.end()) {
    const auto row = static_cast<size_t>(unknown - out.people.begin());
    throw Error(join("[", identities.string(), "] expected a person for each of ", out.count(),
                     " images, got none for '", out.files[row], "'"));
  }
  return out;
}

FaceTable read_prepared_faces(const fs::path& path) {
  TextLines lines(path);
  const Header header = read_header(lines, path);
  const auto width = static_cast<int64_t>(header.names.size());
  FaceTable out;
  for (int64_t c = 0; c < width; ++c) {
    if (header.is_attribute(c)) out.attributes.push_back(header.names[static_cast<size_t>(c)]);
  }
  out.values.resize(out.attributes.size());
  for (FieldsOfLine fields; lines.next(fields);) {
    const int64_t before = static_cast<int64_t>(fields.size()) - width;  // a number of the row
    ADASSL_CHECK(before == 0 || before == 1, "[", lines.where(), "] expected ", width,
                 " fields, got ", fields.size());
    const auto field = [&](int64_t c) { return fields[static_cast<size_t>(c + before)]; };
    add_file(out, field(header.file), lines.where());
    if (header.person >= 0) {
      out.people.push_back(person_in(field(header.person), lines.where()));
    }
    size_t k = 0;
    for (int64_t c = 0; c < width; ++c) {
      if (!header.is_attribute(c)) continue;
      add_value(out.values[k], field(c), /*signs=*/false, lines.where(), out.attributes[k]);
      ++k;
    }
  }
  ADASSL_CHECK(out.count() > 0, "[", path.string(), "] expected rows after the header, got none");
  require_different(out, path.string());
  return out;
}

std::vector<int8_t> split_faces(const FaceTable& faces, double held_out, uint64_t seed) {
  std::vector<int32_t> people = faces.people;
  std::ranges::sort(people);
  people.erase(std::unique(people.begin(), people.end()), people.end());
  std::ranges::sort(people, {}, [&](int32_t person) {
    return std::pair(storage::short_sum(std::to_string(person), seed), person);
  });
  const auto kept =
      static_cast<size_t>(std::llround(held_out * static_cast<double>(people.size())));
  const std::unordered_set<int32_t> unseen(people.begin(),
                                           people.begin() + static_cast<int64_t>(kept));
  std::vector<size_t> rows;  // of people who are held out
  for (size_t row = 0; row < faces.files.size(); ++row) {
    if (unseen.contains(faces.people[row])) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, [&](size_t row) {
    return std::pair(storage::short_sum(faces.files[row], seed), row);
  });
  std::vector<int8_t> out(faces.files.size(), 0);
  for (size_t k = 0; k < rows.size(); ++k) out[rows[k]] = 2 * k < rows.size() ? 1 : 2;
  return out;
}

}  // namespace adassl::data
