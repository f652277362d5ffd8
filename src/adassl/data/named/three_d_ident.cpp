#include "adassl/data/named/three_d_ident.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/data/named/layout.h"
#include "adassl/data/samples/array_file.h"
#include "adassl/data/samples/cached_images.h"
#include "adassl/data/samples/folder.h"
#include "adassl/data/samples/table.h"
#include "adassl/storage/npy.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFactors = {"x",          "y",          "z",          "rotation_x",
                                 "rotation_y", "rotation_z", "spot_angle", "object_hue",
                                 "spot_hue",   "ground_hue"};
constexpr auto kWidth = static_cast<int64_t>(kFactors.size());
constexpr Publication kPublication = {
    "3DIdent",
    "it is at https://zenodo.org/record/4502485, and 'adassl data render teapots --out DIR' draws "
    "pictures of this layout"};
constexpr int64_t kTrainImages = 250'000, kTestImages = 25'000;
constexpr const char* kFolderHelp =
    "the folder that holds train and test, or a cache into which both were rendered";

/// The names of a part's images, in the order of their numbers: image k belongs to row k.
std::vector<std::string> numbered_images(const fs::path& folder, int64_t rows) {
  const FoundFiles found = find_files(folder, &is_image_name, /*follow_links=*/false);
  ADASSL_CHECK(found.names.count() == rows, "[", folder.string(), "] expected ", rows,
               " images, one for each row of raw_latents.npy, got ", found.names.count());
  std::vector<std::string> out(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    const std::string_view name = found.names[i];
    const auto number = whole_number_in(without_extension(name));
    ADASSL_CHECK(number && *number >= 0 && *number < rows, "[", folder.string(),
                 "] expected images called by the numbers 0 to ", rows - 1, ", got '", name, "'");
    std::string& place = out[static_cast<size_t>(*number)];
    ADASSL_CHECK(place.empty(), "[", folder.string(), "] expected one image of number ", *number,
                 ", got '", place, "' and '", name, "'");
    place = name;
  }
  return out;
}

/// The publication's address is no help where the data was rendered without test images.
void require_test_images(const fs::path& folder) {
  std::error_code code;
  ADASSL_CHECK(!fs::exists(folder / "rendering.json", code) || fs::exists(folder / "test", code),
               "[", folder.string(), "] expected training and test images, got a rendering ",
               "without test images: render another folder with a --test-count above 0");
}

/// The rows of a file of latents: [N, 10].
storage::NpyArray read_latents(const fs::path& path) {
  storage::NpyArray out = storage::read_npy(path);
  const bool real = out.dtype == storage::Dtype::kF32 || out.dtype == storage::Dtype::kF64;
  ADASSL_CHECK(real && out.shape.size() == 2 && out.shape[1] == kWidth && out.shape[0] > 0, "[",
               path.string(), "] expected float32 or float64 of shape [N, ", kWidth, "], got ",
               name_of(out.dtype), " of shape [", text::extents(out.shape), "]");
  return out;
}

fs::path beside(const std::string& file, const char* ending) { return file + ending; }

DataColumns factor_columns(std::vector<std::string>& declared) {
  DataColumns out;
  for (const char* factor : kFactors) {
    out.push_back({factor});
    declared.push_back(join(factor, ":real"));
  }
  return out;
}

/// Appends the standardised factors of a part to the columns.
void add_factors(const storage::NpyArray& raw, const std::string& where, DataColumns& columns) {
  const double deviation = std::sqrt(4.0 / 12);
  std::vector<float> row(static_cast<size_t>(kWidth));
  for (int64_t i = 0; i < raw.shape[0]; ++i) {
    to_floats(raw, i * kWidth, row);
    for (size_t c = 0; c < row.size(); ++c) {
      constexpr float kLargest = 1 + 1e-5F;  // rounded in a file of single precision
      ADASSL_CHECK(std::abs(row[c]) <= kLargest, "[", where,
                   "] expected raw latents between -1 and 1, got ", row[c], " in row ", i,
                   ", column ", c);
      columns[c].numbers.push_back(static_cast<double>(row[c]) / deviation);
    }
  }
}

}  // namespace

std::vector<std::string> three_d_ident_factors() { return {kFactors.begin(), kFactors.end()}; }

void ThreeDIdentSamples::visit(Fields& field) {
  field.path("folder", folder, kFolderHelp);
  visit_tolerate(field, tolerate);
  files.visit_reading(field);
}

ListedImages ThreeDIdentSamples::list() const {
  require_test_images(folder);
  ListedImages out{.folder = folder, .described_by = folder};
  out.columns = factor_columns(out.declared);
  std::vector<SplitPart> parts;
  for (const std::string part : {"train", "test"}) {
    const fs::path images = fs::path(part) / "images", latents = fs::path(part) / "raw_latents.npy";
    require_part(kPublication, folder, images);
    require_part(kPublication, folder, latents);
    const fs::path path = fs::path(folder) / latents;
    const storage::NpyArray raw = read_latents(path);
    const int64_t rows = raw.shape[0];
    for (const std::string& name : numbered_images(fs::path(folder) / images, rows)) {
      out.names.add(join(part, "/images/", name));
    }
    add_factors(raw, path.string(), out.columns);
    if (const fs::path physical = fs::path(folder) / part / "latents.npy"; fs::exists(physical)) {
      const int64_t more = read_latents(physical).shape[0];
      ADASSL_CHECK(more == rows, "[", physical.string(), "] expected ", rows,
                   " rows, as in raw_latents.npy, got ", more);
    }
    parts.push_back({part, rows});
  }
  compare(parts[0].count, kTrainImages, "training images", out.remarks);
  compare(parts[1].count, kTestImages, "test images", out.remarks);
  out.columns.push_back(split_column(parts));
  return out;
}

/// The images of a cache, whose raw latents and parts lie beside it.
std::shared_ptr<SampleSet> ThreeDIdentSamples::open_cache() const {
  ADASSL_CHECK(files.cache.empty(), "[samples.cache] expected none, since samples.folder is a ",
               "cache itself, got ", files.cache);
  images::Cache cache(folder);
  const fs::path latents = beside(folder, ".raw_latents.npy"), table = beside(folder, ".csv");
  const storage::NpyArray raw = read_latents(latents);
  ADASSL_CHECK(raw.shape[0] == cache.count(), "[", latents.string(), "] expected ", cache.count(),
               " rows, one for each image of the cache, got ", raw.shape[0]);
  std::vector<std::string> declared;
  DataColumns columns = factor_columns(declared);
  add_factors(raw, latents.string(), columns);
  const DataColumns more = read_table_by_row(table, cache.count());
  const DataColumn& split = require_column(more, kSplitColumn, table.string());
  for (const char* part : {"train", "test"}) {
    ADASSL_CHECK(std::ranges::find(split.words, part) != split.words.end(), "[", table.string(),
                 "] expected training and test images, got none of ", part,
                 ": render another cache with a --test-count above 0");
  }
  columns.push_back(split);
  declared.push_back(join(kSplitColumn, ":none"));
  std::vector<std::string> names;
  for (int64_t i = 0; i < cache.count(); ++i) names.push_back(join(split.text(i), "/", i));
  return std::make_shared<CachedImages>(std::move(cache), std::move(names), std::move(columns),
                                        std::move(declared), tolerate, folder);
}

std::shared_ptr<SampleSet> ThreeDIdentSamples::open(const Progress& progress) const {
  std::error_code code;
  if (fs::is_regular_file(folder, code)) return open_cache();
  return std::make_shared<Images>(list(), files, tolerate, progress);
}

SamplesEntry ThreeDIdentSamples::entry() {
  return {part_description<ThreeDIdentSamples>(),
          [](Config& config, const std::string& section, const Progress& progress) {
            return config.read<ThreeDIdentSamples>(section).open(progress);
          }};
}

void ThreeDIdentData::visit(Fields& field) {
  field.path("folder", folder, kFolderHelp);
  field("pairing", pairing,
        "natural: the neighbour after some factors were redrawn; standard: two strong views of one "
        "image",
        {"natural", "standard"});
  seen.visit(field);
}

std::vector<ChosenPart> ThreeDIdentData::parts() const {
  const std::vector<std::string> names = three_d_ident_factors();
  const bool natural = pairing == "natural";
  ChosenPart pairs{.section = "pairing", .kind = "self", .fixed = true};
  if (natural) {
    pairs.kind = "neighbour";
    pairs.options = {{"columns", std::vector<Scalar>(names.begin(), names.end())},
                     {"redraw", 0.2},
                     {"standardise", false}};  // the factors are standardised
  }
  ChosenPart views{.section = "views", .kind = "plain", .always = {{"size", int64_t{128}}}};
  if (!natural) {
    views.kind = "strong";
    views.options = {{"solarise", 0.0}};
  }
  return {{.section = "samples", .kind = "three_d_ident", .fixed = true},
          pairs,
          views,
          {.section = "encoder",
           .kind = "resnet",
           .options = {{"mean", std::vector<Scalar>{0.3292, 0.3278, 0.3215}},
                       {"deviation", std::vector<Scalar>{0.0778, 0.0776, 0.0771}}}}};
}

}  // namespace adassl::data
