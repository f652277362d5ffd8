#include "adassl/data/named/inat.h"

#include <map>
#include <set>

#include "adassl/core/error.h"
#include "adassl/data/named/layout.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

constexpr Publication kPublication = {
    "iNat-1M's lists",
    "they belong to https://github.com/SkrighYZ/AdaSSL, the images are those of "
    "https://github.com/visipedia/inat_comp/tree/master/2021"};
constexpr int64_t kClasses = 5000, kSuperclasses = 11;

struct Part {
  const char* name;
  const char* file;
  int64_t published;  // images
};
constexpr Part kParts[] = {{"train", "train.txt", 1'000'000},
                           {"validation", "val.txt", 250'000},
                           {"test", "test.txt", 250'000}};

/// What the lists say, in their order.
struct Labels {
  std::vector<int32_t> classes, superclasses;
  std::map<int32_t, int32_t> above;  // the superclass of each class
};

int32_t label_in(std::string_view field, int64_t count, const char* what,
                 const std::string& where) {
  const auto number = whole_number_in(field);
  ADASSL_CHECK(number && *number >= 0 && *number < count, "[", where, "] expected a ", what,
               " from 0 to ", count - 1, ", got '", field, "'");
  return static_cast<int32_t>(*number);
}

/// Reads a list; returns how many images it has.
int64_t read_list(const fs::path& path, Names& names, Labels& labels) {
  TextLines lines(path);
  int64_t count = 0;
  for (std::vector<std::string_view> fields; lines.next(fields); ++count) {
    ADASSL_CHECK(fields.size() == 3, "[", lines.where(),
                 "] expected a path, a class and a superclass, got ", fields.size(), " fields");
    require_inside(fields[0], lines.where());
    names.add(fields[0]);
    const int32_t own = label_in(fields[1], kClasses, "class", lines.where());
    const int32_t above = label_in(fields[2], kSuperclasses, "superclass", lines.where());
    const int32_t known = labels.above.try_emplace(own, above).first->second;
    ADASSL_CHECK(known == above, "[", lines.where(), "] expected class ", own,
                 " in one superclass, got ", known, " and ", above);
    labels.classes.push_back(own);
    labels.superclasses.push_back(above);
  }
  ADASSL_CHECK(count > 0, "[", path.string(), "] expected a line for each image, got none");
  return count;
}

/// One 0 or 1 for each training image; images that are not trained on are clean.
DataColumn read_label_types(const fs::path& path, int64_t train, int64_t all) {
  DataColumn out{"corrupted"};
  TextLines lines(path);
  for (std::vector<std::string_view> fields; lines.next(fields);) {
    for (const std::string_view field : fields) {
      const auto value = whole_number_in(field);
      ADASSL_CHECK(value && (*value == 0 || *value == 1), "[", lines.where(),
                   "] expected 0 for a clean image or 1 for a corrupted one, got '", field, "'");
      out.numbers.push_back(static_cast<double>(*value));
    }
  }
  const auto got = static_cast<int64_t>(out.numbers.size());
  ADASSL_CHECK(got == train, "[", path.string(), "] expected ", train,
               " numbers, one for each training image, got ", got);
  out.numbers.resize(static_cast<size_t>(all), 0);
  return out;
}

}  // namespace

void INatSamples::visit(Fields& field) {
  field.path("folder", folder, "the folder that holds train.txt, val.txt and test.txt");
  field.path("root", root, "the folder that their paths are relative to; empty: that of the lists");
  field("label_types", label_types,
        "a file of that folder with a line 0 or 1 for each training image, such as "
        "label_types_n0.5.txt; empty: none");
  visit_tolerate(field, tolerate);
  files.visit_reading(field);
}

ListedImages INatSamples::list() const {
  ListedImages out{.folder = root.empty() ? folder : root, .described_by = folder};
  Labels labels;
  std::vector<SplitPart> parts;
  for (const Part& part : kParts) require_part(kPublication, folder, part.file);
  for (const Part& part : kParts) {
    const int64_t count = read_list(fs::path(folder) / part.file, out.names, labels);
    parts.push_back({part.name, count});
    compare(count, part.published, join(part.name, " images"), out.remarks);
  }
  compare(static_cast<int64_t>(labels.above.size()), kClasses, "classes", out.remarks);
  out.columns.push_back(label_column("class", labels.classes));
  out.columns.push_back(label_column("superclass", labels.superclasses));
  out.declared = {"class:class", "superclass:class"};
  const auto superclasses = static_cast<int64_t>(out.columns.back().words.size());
  compare(superclasses, kSuperclasses, "superclasses", out.remarks);
  if (!label_types.empty()) {
    require_part(kPublication, folder, label_types);
    out.columns.push_back(
        read_label_types(fs::path(folder) / label_types, parts.front().count, out.names.count()));
    out.declared.emplace_back("corrupted:none");
  }
  out.columns.push_back(split_column(parts));
  return out;
}

void INatData::visit(Fields& field) {
  field.path("folder", folder, "the folder that holds train.txt, val.txt and test.txt");
  field("corruption", corruption, "the share of training images whose class is corrupted (omega)",
        {0, 1});
  field("label_types", label_types,
        "a file of that folder that says which images are corrupted, such as label_types_n0.5.txt; "
        "empty: they are drawn");
  seen.visit(field);
}

std::vector<ChosenPart> INatData::parts() const {
  ADASSL_CHECK(corruption == 0 || label_types.empty(),
               "[data] expected either corruption or label_types, got both");
  ChosenPart pairs{.section = "pairing",
                   .kind = "group",
                   .fixed = true,
                   .options = {{"by", std::string("class")},
                               {"epoch", std::string("pools")},
                               {"alone", std::string("self")}}};
  if (corruption > 0) pairs.options.emplace_back("corruption", corruption);
  if (!label_types.empty()) pairs.options.emplace_back("corrupted", std::string("corrupted"));
  if (corruption > 0 || !label_types.empty()) {
    pairs.options.emplace_back("coarse", std::string("superclass"));
  }
  // A million files are decoded once in three hours, and their headers read in minutes.
  ChosenPart samples{.section = "samples",
                     .kind = "inat",
                     .fixed = true,
                     .options = {{"check", std::string("header")}}};
  if (!label_types.empty()) samples.options.emplace_back("label_types", label_types);
  return {samples,
          pairs,
          {.section = "views", .kind = "strong", .always = {{"size", int64_t{224}}}},
          {.section = "encoder",
           .kind = "resnet",
           .options = {{"depth", int64_t{50}},
                       {"mean", std::vector<Scalar>{0.4687, 0.4848, 0.3779}},
                       {"deviation", std::vector<Scalar>{0.2357, 0.2273, 0.2457}}}}};
}

}  // namespace adassl::data
