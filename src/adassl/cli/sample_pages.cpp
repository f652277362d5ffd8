#include "adassl/cli/sample_pages.h"

#include <fmt/format.h>

#include "adassl/report/html.h"
#include "adassl/storage/file.h"

namespace adassl::cli {

void write_sample_page(const std::filesystem::path& path, const std::string& title,
                       const std::string& about, const std::string& body) {
  storage::make_folders(path.parent_path());
  storage::write_atomically(
      path,
      report::html_page(title, fmt::format("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}"
                                           "<footer>Made by adassl.</footer>\n",
                                           report::escaped(title), report::escaped(about), body)));
}

}  // namespace adassl::cli
