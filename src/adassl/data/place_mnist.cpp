#include "adassl/data/place_mnist.h"

#include <string>
#include <string_view>
#include <system_error>

#include "adassl/core/error.h"
#include "adassl/data/mnist.h"
#include "adassl/storage/sha256.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

/// SHA-256 of the original files, unpacked, in the order of data::kMnistFiles.
constexpr std::string_view kOriginals[] = {
    "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"};

bool is_original(const storage::IdxArray& file, size_t number) {
  storage::Sha256 sum;
  sum.add(storage::idx_header(file.shape));
  sum.add({reinterpret_cast<const char*>(file.values.data()), file.values.size()});
  return sum.hex() == kOriginals[number];
}

bool all_original(const std::array<storage::IdxArray, 4>& files) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (!is_original(files[i], i)) return false;
  }
  return true;
}

void require_made(const fs::path& path, const std::error_code& code) {
  if (!code) return;
  throw WriteError(join("[", path.string(), "] cannot be made: ", code.message()), code.value());
}

/// A folder for files that are still incomplete. The destructor removes it; the constructor removes
/// one that a killed process has left.
class Waiting {
 public:
  explicit Waiting(const fs::path& folder) : folder_(folder / ".incoming") {
    std::error_code code;
    fs::create_directories(folder, code);
    require_made(folder, code);
    fs::remove_all(folder_, code);
    fs::create_directory(folder_, code);
    require_made(folder_, code);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  fs::path operator/(std::string_view name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

/// The indices of the files that are not in `to` yet. Error if a file there has other content.
std::vector<size_t> missing(const std::array<storage::IdxArray, 4>& files, const fs::path& from,
                            const fs::path& to) {
  std::vector<size_t> out;
  for (size_t i = 0; i < files.size(); ++i) {
    const fs::path there = data::find_mnist_file(to, data::kMnistFiles[i]);
    if (there.empty()) {
      out.push_back(i);
      continue;
    }
    const storage::IdxArray found = storage::read_idx(there, files[i].shape.size());
    ADASSL_CHECK(found.shape == files[i].shape && found.values == files[i].values, "[",
                 there.string(), "] expected the digits of ", from.string(),
                 ", got others; remove it, or choose another --out");
  }
  return out;
}

}  // namespace

bool holds_original_mnist(const fs::path& folder) {
  for (const std::string_view name : data::kMnistFiles) {
    if (data::find_mnist_file(folder, name).empty()) return false;
  }
  return all_original(data::read_mnist_files(folder));
}

PlacedMnist place_mnist(const fs::path& from, const fs::path& to, bool must_be_original) {
  const auto files = data::read_mnist_files(from);
  const bool original = all_original(files);
  ADASSL_CHECK(original || !must_be_original, "[", from.string(),
               "] expected the original MNIST files, got others (their SHA-256 differs)");
  const std::vector<size_t> wanted = missing(files, from, to);
  if (!wanted.empty()) {
    const Waiting waiting(to);
    for (const size_t i : wanted) {
      storage::write_idx(waiting / data::kMnistFiles[i], files[i]);
    }
    for (const size_t i : wanted) {
      std::error_code code;
      fs::rename(waiting / data::kMnistFiles[i], to / data::kMnistFiles[i], code);
      require_made(to / data::kMnistFiles[i], code);
    }
  }
  return {files[0].shape[0], files[2].shape[0], static_cast<int>(wanted.size()), original};
}

}  // namespace adassl::data
