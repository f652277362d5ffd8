#include "adassl/data/samples/index.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/storage/checksum.h"
#include "adassl/storage/file.h"

namespace adassl::data {
namespace {

constexpr std::string_view kMagic = "adassl index 1\n";
static_assert(kMagic.starts_with(kIndexBegin));
constexpr uint64_t kLargest = uint64_t{8} << 30;
constexpr uint32_t kMostReasons = 1'000'000;
constexpr uint32_t kLongestReason = 10'000;
constexpr size_t kSumSize = 32;
static_assert(sizeof(FileRecord) == 48 && std::is_trivially_copyable_v<FileRecord>);

/// Takes values off the front of a text; false when it is too short.
class Taker {
 public:
  explicit Taker(std::string_view rest) : rest_(rest) {}
  bool take(void* to, size_t size) {
    if (rest_.size() < size) return false;
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
    return true;
  }
  bool take(std::string& to, size_t size) {
    if (rest_.size() < size) return false;
    to = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

bool parse(std::string_view bytes, FileIndex& out) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kSumSize) return false;
  const std::string_view body = bytes.substr(0, bytes.size() - kSumSize);
  if (storage::Checksum().add(body).hex() != bytes.substr(body.size())) return false;
  Taker taker(body.substr(kMagic.size()));
  uint32_t reasons = 0;
  if (!taker.take(&reasons, sizeof reasons) || reasons > kMostReasons) return false;
  for (uint32_t i = 0; i < reasons; ++i) {
    uint32_t size = 0;
    std::string reason;
    if (!taker.take(&size, sizeof size) || size == 0 || size > kLongestReason ||
        !taker.take(reason, size)) {
      return false;
    }
    out.reasons.push_back(one_line(reason));
  }
  uint64_t count = 0;
  if (!taker.take(&count, sizeof count) || count > taker.left() / sizeof(FileRecord)) return false;
  out.records.resize(count);
  if (count > 0) taker.take(out.records.data(), count * sizeof(FileRecord));
  while (taker.left() > 0) {
    uint64_t size = 0;
    if (!taker.take(&size, sizeof size) || !taker.take(out.details.emplace_back(), size)) {
      return false;
    }
  }
  if (!out.details.empty() && out.details.size() != count) return false;
  return std::ranges::all_of(out.records,
                             [&](const FileRecord& r) { return r.verdict < 2 + reasons; });
}

}  // namespace

uint32_t FileIndex::verdict_for(const std::string& reason) {
  const auto found = std::ranges::find(reasons, reason);
  const auto number = static_cast<uint32_t>(found - reasons.begin());
  if (found == reasons.end()) reasons.push_back(reason.substr(0, kLongestReason));
  return 2 + number;
}

FileIndex read_index(const std::filesystem::path& path) {
  FileIndex out;
  try {
    if (!path.empty() && parse(storage::read_file(path, kLargest), out)) return out;
  } catch (const Error&) {  // there is none yet
  }
  return {};
}

bool write_index(const std::filesystem::path& path, const FileIndex& index) {
  std::string body(kMagic);
  const auto put = [&](const void* from, size_t size) {
    body.append(static_cast<const char*>(from), size);
  };
  const auto reasons = static_cast<uint32_t>(index.reasons.size());
  put(&reasons, sizeof reasons);
  for (const std::string& reason : index.reasons) {
    const auto size = static_cast<uint32_t>(reason.size());
    put(&size, sizeof size);
    body += reason;
  }
  const uint64_t count = index.records.size();
  put(&count, sizeof count);
  put(index.records.data(), count * sizeof(FileRecord));
  const bool detailed =
      std::ranges::any_of(index.details, [](const auto& d) { return !d.empty(); });
  for (const std::string& details : detailed ? index.details : std::vector<std::string>()) {
    const uint64_t size = details.size();
    put(&size, sizeof size);
    body += details;
  }
  body += storage::Checksum().add(body).hex();
  try {
    storage::make_folders(path.parent_path());
    storage::write_atomically(path, body);
  } catch (const Error&) {
    return false;
  }
  return true;
}

std::filesystem::path default_index(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path base;
  if (cache != nullptr && *cache == '/') {
    base = cache;
  } else if (home != nullptr && *home == '/') {
    base = fs::path(home) / ".cache";
  } else {
    return {};
  }
  std::error_code code;
  const fs::path full = fs::canonical(folder, code);
  if (code) return {};
  return base / "adassl" / (text::hex(storage::short_sum(full.string(), 0)) + ".index");
}

}  // namespace adassl::data
