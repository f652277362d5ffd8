#include "adassl/data/samples/checked_files.h"
#include "adassl/data/samples/image_files.h"
#include "adassl/data/samples/list_file.h"
#include "fuzz/harness.h"

/// Lists of files, as text and as CSV. What they name is looked for, but not opened.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const std::string text(fuzz::text_of(data, size));
  const auto path = fuzz::file_with(text);
  const auto folder = path.parent_path();
  for (const char* name : {"list.txt", "list.csv", "list.tsv"}) {
    const auto list = folder / name;
    testing::put(list, text);
    data::FileList found;
    const bool read = fuzz::accepted([&] {
      found = data::read_file_list(list);
      for (int64_t i = 0; i < found.names.count(); ++i) {
        const std::string_view one = found.names[i];
        fuzz::require(!one.empty() && one.find('\0') == std::string_view::npos,
                      "a list names files that there can be");
      }
      for (const data::DataColumn& column : found.columns) {
        fuzz::require(column.count() == found.names.count(), "a column has a value for each file");
      }
    });
    const bool below =
        read && fuzz::accepted([&] { data::require_below(folder, found.names, list); });
    if (below) {
      for (int64_t i = 0; i < found.names.count(); ++i) {
        const auto target = (folder / found.names[i]).lexically_normal().string();
        fuzz::require(target.starts_with(folder.string()), "a list stays in its folder");
      }
    }
    const bool opened = fuzz::accepted([&] {
      const data::FileKind kind = {"images", ".png", &data::is_image_name, 1024};
      data::FileOptions options;
      options.index = "none";
      const data::CheckedFiles files(kind, list, options);
      fuzz::require(files.count() == found.names.count(), "every line is a file");
    });
    fuzz::require(!opened || below, "files are only opened below the folder of their list");
  }
  return 0;
}
