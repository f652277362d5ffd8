#include "adassl/data/samples/samples.h"

#include <algorithm>
#include <array>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/samples/folder.h"
#include "adassl/storage/checksum.h"
#include "adassl/storage/csv.h"
#include "adassl/video/video.h"

namespace adassl::data {
namespace {

constexpr std::array kPathColumns = {"path", "file", "filename", "image"};

/// A folder with images is one of images, whatever else is in it.
std::string kind_of_folder(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  bool videos = false;
  std::error_code code;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(path, kSkip, code), end; !code && at != end;
       at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) {
      at.disable_recursion_pending();
    } else if (is_image_name(name)) {
      return "images";
    } else {
      videos = videos || video::is_video_name(name);
    }
  }
  return videos ? "clips" : "images";
}

}  // namespace

void SampleSet::fetch_row(int64_t /*i*/, std::span<float> /*out*/) const {
  throw Error("[samples] expected a set of arrays, got one of pictures");
}

storage::Image SampleSet::fetch_picture(int64_t /*i*/, int64_t /*frame*/) const {
  throw Error("[samples] expected a set of pictures, got one of arrays");
}

uint64_t SampleSet::content(int64_t i) const {
  if (pictures() > 0) return 0;
  size_t size = 1;
  for (const int64_t extent : shape()) size *= static_cast<size_t>(extent);
  std::vector<float> row(size);
  fetch_row(i, row);
  return storage::short_sum(std::as_bytes(std::span(row)));
}

void SampleOptions::visit(Fields& field) {
  field.path("path", path, "the folder or file with the samples");
  field.path("table", table, "a CSV file with further columns about the samples");
  field("key", key,
        "the table's column that names the samples; empty: path, file, filename, image, name or "
        "id. A table about rows of numbers has one line for each of them instead");
  field("columns", columns,
        "kinds of columns, as in [\"hue:angle\"]: real, angle, class, binary or none; kinds that "
        "are not given follow from the values");
  field("sequence", sequence,
        "what divides the samples into sequences: folder, a column or a regular expression over "
        "the paths; empty: all are one");
  field("time", time,
        "the column with the time of a sample; empty: rows or frames are counted in their order");
  field("rate", rate, "rows or frames a second, where times are to be seconds; 0: they are counted",
        {0, 1e9});
  visit_tolerate(field, tolerate);
}

void visit_tolerate(Fields& field, double& tolerate) {
  field("tolerate", tolerate, "the largest share of samples that may be unusable", {0, 1});
}

std::vector<bool> flags_of(const std::vector<Rejected>& rejected, int64_t count) {
  std::vector<bool> out(static_cast<size_t>(count));
  for (const Rejected& one : rejected) out[static_cast<size_t>(one.sample)] = true;
  return out;
}

std::vector<int64_t> usable_samples(const SampleSet& samples,
                                    const std::vector<Rejected>& rejected) {
  const std::vector<bool> unusable = flags_of(rejected, samples.count());
  std::vector<int64_t> out;
  for (int64_t i = 0; i < samples.count(); ++i) {
    if (!unusable[static_cast<size_t>(i)]) out.push_back(i);
  }
  return out;
}

void require_tolerable(const std::vector<Rejected>& rejected, int64_t count, double tolerate,
                       const std::string& where) {
  const auto share = static_cast<double>(rejected.size()) / static_cast<double>(count);
  if (share <= tolerate) return;
  constexpr size_t kShown = 10;
  std::string shown;
  for (size_t i = 0; i < std::min(kShown, rejected.size()); ++i) {
    shown += join(i == 0 ? "" : "; ", "'", rejected[i].name, "' ", rejected[i].reason);
  }
  throw Error(join("[", where, "] expected at most ", tolerate, " of ", count,
                   " samples to be unusable (samples.tolerate), got ", rejected.size(), ": ", shown,
                   rejected.size() > kShown ? "; ..." : ""));
}

bool is_array_name(const std::filesystem::path& path) {
  constexpr std::array kArrays = {".npy", ".npz", ".safetensors"};
  return std::ranges::find(kArrays, text::lower_case(path.extension().string())) != kArrays.end();
}

std::string kind_of_samples(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  if (fs::is_directory(path)) return kind_of_folder(path);
  ADASSL_CHECK(fs::exists(path), "[", path.string(), "] no such file or folder");
  const std::string extension = text::lower_case(path.extension().string());
  if (video::is_video_name(path.filename().string())) return "clips";
  if (extension == ".txt") return "images";
  if (extension == ".csv" || extension == ".tsv") {
    const storage::CsvReader table(path);
    const bool lists = std::ranges::any_of(
        kPathColumns, [&](const char* column) { return table.find(column) >= 0; });
    return lists ? "images" : "arrays";
  }
  ADASSL_CHECK(is_array_name(path), "[", path.string(),
               "] expected a folder, a video, a list of files (.txt, .csv) or numbers (.npy, .npz, "
               ".csv, .safetensors), got '",
               extension, "'");
  return "arrays";
}

}  // namespace adassl::data
