#include "adassl/storage/replaceable.h"

#include <fstream>

#include "adassl/core/error.h"

namespace adassl::storage {

void require_replaceable(const std::filesystem::path& path, std::string_view begin,
                         const std::string& what, const std::string& option) {
  std::ifstream file(path, std::ios::binary);
  std::string found(begin.size(), '\0');
  file.read(found.data(), static_cast<std::streamsize>(found.size()));
  found.resize(static_cast<size_t>(file.gcount()));
  ADASSL_CHECK(found.empty() || found == begin, "[", path.string(), "] expected to write ", what,
               ", got another file there, which is kept; choose another ", option,
               " or remove the file");
}

}  // namespace adassl::storage
