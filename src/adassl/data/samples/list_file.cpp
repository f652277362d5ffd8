#include "adassl/data/samples/list_file.h"

#include <algorithm>
#include <set>
#include <string>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/samples/table.h"
#include "adassl/kernels/threads.h"
#include "adassl/storage/csv.h"
#include "adassl/storage/file.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

/// The lines of a text file, without their ends.
Names lines_of(const fs::path& path) {
  constexpr uintmax_t kLargest = uintmax_t{4} << 30;
  const std::string text = storage::read_file(path, kLargest);
  Names out;
  int64_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ADASSL_CHECK(line.find('\0') == std::string_view::npos, "[", path.string(), ":", number,
                 "] expected a path, got a zero byte");
    if (!line.empty()) out.add(line);
    at = end + 1;
  }
  return out;
}

/// Where a path really leads, as far as the system can follow it.
std::string target_of(const fs::path& path) {
  std::error_code code;
  fs::path out = fs::weakly_canonical(path, code);
  if (code) out = fs::absolute(path).lexically_normal();
  return out.has_filename() ? out.string() : out.parent_path().string();  // without a last slash
}

class Fence {
 public:
  Fence(const fs::path& folder, const fs::path& list)
      : folder_(folder.empty() ? "." : folder), list_(list), root_(target_of(folder_)) {}

  /// Whether a file or folder is inside.
  bool holds(std::string_view name) const {
    const std::string target = target_of(folder_ / name);
    return root_ == "/" || target == root_ || target.starts_with(root_ + "/");
  }
  void refuse(std::string_view name) const {
    throw Error(join("[", list_.string(), "] expected files below ", folder_.string(), ", got '",
                     name, "', which leads to ", target_of(folder_ / name),
                     "; samples.outside=true reads it"));
  }
  bool is_link(std::string_view name) const {
    std::error_code code;
    return fs::is_symlink(fs::symlink_status(folder_ / name, code));
  }

 private:
  fs::path folder_;
  fs::path list_;
  std::string root_;
};

}  // namespace

FileList read_file_list(const fs::path& path) {
  const std::string extension = text::lower_case(path.extension().string());
  if (extension != ".csv" && extension != ".tsv") return {lines_of(path), {}};
  FileList out;
  storage::CsvReader reader(path);
  const int64_t key = key_column(reader.columns());
  ADASSL_CHECK(key >= 0, "[", path.string(),
               "] expected a column path, file, filename, image, name or id, got ",
               text::list(reader.columns()));
  for (std::vector<std::string> fields; reader.next(fields);) {
    const std::string& name = fields[static_cast<size_t>(key)];
    ADASSL_CHECK(!name.empty(), "[", reader.where(), "] expected a path, got an empty field");
    out.names.add(name);
  }
  out.columns = read_table(path);
  ADASSL_CHECK(out.columns.front().count() == out.names.count(), "[", path.string(),
               "] changed while it was read");
  out.columns.erase(out.columns.begin() + key);
  return out;
}

void require_below(const fs::path& folder, const Names& names, const fs::path& list) {
  const Fence fence(folder, list);
  std::set<std::string_view> known;  // folders that are inside
  for (int64_t i = 0; i < names.count(); ++i) {
    const size_t slash = names[i].rfind('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view place = names[i].substr(0, slash + 1);
    if (known.contains(place)) continue;
    if (!fence.holds(place)) fence.refuse(names[i]);
    known.insert(place);
  }
  std::vector<char> outside(static_cast<size_t>(names.count()));
  kernels::parallel_for(names.count(), [&](int64_t i) {
    const bool may_leave = last_part(names[i]) == ".." || fence.is_link(names[i]);
    outside[static_cast<size_t>(i)] = may_leave && !fence.holds(names[i]) ? 1 : 0;
  });
  const auto first = std::ranges::find(outside, 1) - outside.begin();
  if (first < names.count()) fence.refuse(names[first]);
}

}  // namespace adassl::data
