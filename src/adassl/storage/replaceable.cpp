#include "adassl/storage/replaceable.h"

#include <fstream>

#include "adassl/core/error.h"

namespace adassl::storage {

std::string first_bytes(const std::filesystem::path& path, size_t size) {
  std::ifstream file(path, std::ios::binary);
  std::string out(size, '\0');
  file.read(out.data(), static_cast<std::streamsize>(size));
  out.resize(static_cast<size_t>(file.gcount()));
  return out;
}

void require_replaceable(const std::filesystem::path& path, std::string_view begin,
                         const std::string& what, const std::string& option) {
  const std::string found = first_bytes(path, begin.size());
  ADASSL_CHECK(found.empty() || found == begin, "[", path.string(), "] expected to write ", what,
               ", got another file there, which is kept; choose another ", option,
               " or remove the file");
}

}  // namespace adassl::storage
