#include "adassl/data/named/celeba.h"

#include <algorithm>
#include <array>
#include <set>

#include "adassl/core/error.h"
#include "adassl/data/named/celeba_tables.h"
#include "adassl/data/named/layout.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

constexpr Publication kRaw = {
    "CelebA", "it is at https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html (aligned images)"};
constexpr Publication kPrepared = {
    "CelebA's prepared tables",
    "they belong to https://github.com/SkrighYZ/AdaSSL, and data.tables = \"raw\" does without"};
constexpr const char* kImages = "img_align_celeba";
constexpr std::array kPartNames = {"train", "validation", "test"};
constexpr std::array kPartFiles = {"attributes_train.txt", "attributes_val.txt",
                                   "attributes_test.txt"};
constexpr int64_t kPhotographs = 202'599, kPeople = 10'177, kAttributes = 40;
constexpr int64_t kPairs = 1'850'918;  // of photographs of one person, in the paper's training set

/// The columns of the attributes, and `identity` if people are known.
void add_columns(const FaceTable& faces, ListedImages& out) {
  const bool first = out.columns.empty();
  for (size_t k = 0; k < faces.attributes.size(); ++k) {
    if (first) {
      out.columns.push_back({faces.attributes[k]});
      out.declared.push_back(faces.attributes[k] + ":binary");
    }
    auto& numbers = out.columns[k].numbers;
    numbers.insert(numbers.end(), faces.values[k].begin(), faces.values[k].end());
  }
}

void add_identity(const std::vector<int32_t>& people, ListedImages& out) {
  if (people.empty()) return;
  out.columns.push_back(label_column("identity", people));
  out.declared.emplace_back("identity:none");
  const std::set<int32_t> different(people.begin(), people.end());
  compare(static_cast<int64_t>(different.size()), kPeople, "people", out.remarks);
}

/// An attribute that all photographs share cannot be probed.
void leave_out_constant(ListedImages& out) {
  for (size_t k = 0; k < out.declared.size(); ++k) {
    const std::vector<double>& numbers = out.columns[k].numbers;
    if (std::ranges::all_of(numbers, [&](double value) { return value == numbers.front(); })) {
      out.remarks.push_back(out.columns[k].name + " has the same value everywhere");
      out.declared[k] = out.columns[k].name + ":none";
    }
  }
}

void list_raw(const CelebASamples& options, ListedImages& out) {
  const fs::path folder = options.folder;
  for (const char* file : {"list_attr_celeba.txt", "identity_CelebA.txt"}) {
    require_part(kRaw, folder, file);
  }
  const FaceTable faces =
      read_raw_faces(folder / "list_attr_celeba.txt", folder / "identity_CelebA.txt");
  for (const std::string& file : faces.files) out.names.add(file);
  add_columns(faces, out);
  leave_out_constant(out);
  add_identity(faces.people, out);
  DataColumn split{kSplitColumn, {}, {}, {"test", "train", "validation"}};
  constexpr std::array<uint32_t, 3> kCodes = {1, 2, 0};
  for (const int8_t part :
       split_faces(faces, options.held_out, static_cast<uint64_t>(options.split_seed))) {
    split.codes.push_back(kCodes[static_cast<size_t>(part)]);
  }
  out.columns.push_back(std::move(split));
}

void list_prepared(const CelebASamples& options, ListedImages& out) {
  const fs::path folder = options.folder;
  std::vector<int32_t> people;
  std::vector<SplitPart> parts;
  std::vector<std::string> attributes;
  for (size_t k = 0; k < kPartFiles.size(); ++k) {
    require_part(kPrepared, folder, kPartFiles[k]);
    const FaceTable faces = read_prepared_faces(folder / kPartFiles[k]);
    if (k == 0) attributes = faces.attributes;
    const bool alike =
        faces.attributes == attributes && (k == 0 || faces.people.empty() == people.empty());
    ADASSL_CHECK(alike, "[", (folder / kPartFiles[k]).string(), "] expected the columns of ",
                 kPartFiles[0], ", got others");
    for (const std::string& file : faces.files) out.names.add(file);
    people.insert(people.end(), faces.people.begin(), faces.people.end());
    add_columns(faces, out);
    parts.push_back({kPartNames[k], faces.count()});
  }
  leave_out_constant(out);
  add_identity(people, out);
  out.columns.push_back(split_column(parts));
}

}  // namespace

void CelebASamples::visit(Fields& field) {
  field.path("folder", folder, "the folder that holds the tables");
  field.path("root", root, "the folder of the photographs; empty: img_align_celeba beside the tables");
  field("tables", tables, "raw: as published, and the split is drawn; prepared: the paper's",
        {"raw", "prepared"});
  field("held_out", held_out, "raw: the share of people who are kept from training", {0, 0.9});
  field("split_seed", split_seed, "raw: names the split, whatever the run's seed", {0, 9e15});
  visit_tolerate(field, tolerate);
  files.visit_reading(field);
}

ListedImages CelebASamples::list() const {
  ListedImages out{.folder = root.empty() ? fs::path(folder) / kImages : fs::path(root),
                   .described_by = folder};
  if (tables == "raw") {
    list_raw(*this, out);
  } else {
    list_prepared(*this, out);
  }
  if (root.empty()) {
    require_part(kRaw, folder, kImages);
  } else {
    ADASSL_CHECK(fs::is_directory(root), "[samples.root] expected a folder, got '", root, "'");
  }
  compare(out.names.count(), kPhotographs, "photographs", out.remarks);
  const auto attributes = std::ranges::count_if(
      out.columns, [](const DataColumn& column) { return !column.is_text(); });
  compare(attributes, kAttributes, "attributes", out.remarks);
  return out;
}

void CelebAData::visit(Fields& field) {
  field.path("folder", folder, "the folder that holds img_align_celeba and the tables");
  field("tables", tables, "raw: as published, and the split is drawn; prepared: the paper's",
        {"raw", "prepared"});
  field("pairing", pairing,
        "natural: two photographs of one person; standard: two views of one photograph",
        {"natural", "standard"});
  seen.visit(field);
}

std::vector<ChosenPart> CelebAData::parts() const {
  ChosenPart pairs{
      .section = "pairing", .kind = "self", .fixed = true, .options = {{"epoch", kPairs}}};
  if (pairing == "natural" && tables == "raw") {
    pairs.kind = "group";
    pairs.options = {{"by", std::string("identity")}, {"epoch", std::string("pairs")}};
  } else if (pairing == "natural") {
    pairs.kind = "list";
    pairs.options = {{"path", (fs::path(folder) / "pairs_train.npy").string()}, {"ordered", false}};
  }
  return {{.section = "samples", .kind = "celeba", .fixed = true, .options = {{"tables", tables}}},
          pairs,
          {.section = "views", .kind = "weak", .always = {{"size", int64_t{64}}}},
          {.section = "encoder",
           .kind = "resnet",
           .options = {{"mean", std::vector<Scalar>{0.50815, 0.42195, 0.37636}},
                       {"deviation", std::vector<Scalar>{0.30430, 0.28164, 0.28003}}}}};
}

}  // namespace adassl::data
