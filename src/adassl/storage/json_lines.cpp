#include "adassl/storage/json_lines.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adassl/core/error.h"

namespace adassl::storage {
namespace {

constexpr uintmax_t kLargestFile = uintmax_t{4} << 30;
constexpr int kDeepest = 64;  // limits the recursion in which a JSON tree is copied and printed

nlohmann::json parse(std::string_view line, const std::string& where) {
  // The parser would take a zero byte for the end of its input.
  ADASSL_CHECK(line.find('\0') == std::string_view::npos, "[", where,
               "] not valid JSON: it holds a zero byte");
  const auto limit_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    ADASSL_CHECK(depth <= kDeepest, "[", where, "] expected JSON of at most ", kDeepest, " levels");
    return true;
  };
  try {
    return nlohmann::json::parse(line, limit_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(fmt::format("[{}] not valid JSON, at byte {} of the line", where, error.byte));
  } catch (const nlohmann::json::exception&) {  // a number that no double can hold
    throw Error(fmt::format("[{}] not valid JSON: a value is out of range", where));
  }
}

/// Calls take(line, where) for each line that ends with a newline.
template <class Take>
void for_each_line(std::string_view text, const std::filesystem::path& path, const Take& take) {
  size_t number = 1;
  for (size_t start = 0;; ++number) {
    const size_t end = text.find('\n', start);
    if (end == std::string_view::npos) return;
    take(text.substr(start, end - start), fmt::format("{}:{}", path.string(), number));
    start = end + 1;
  }
}

/// The offset at which the last complete line ends.
uint64_t end_of_lines(const InputFile& file) {
  std::array<std::byte, 4096> block{};
  uint64_t end = file.size();
  while (end > 0) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(end, block.size()));
    const auto part = std::span(block).first(count);
    file.read_at(end - count, part);
    const auto newline = std::find(part.rbegin(), part.rend(), std::byte{'\n'});
    if (newline != part.rend()) return end - static_cast<uint64_t>(newline - part.rbegin());
    end -= count;
  }
  return 0;
}

}  // namespace

std::vector<nlohmann::json> read_json_lines(const std::filesystem::path& path) {
  const std::string text = read_file(path, kLargestFile);
  std::vector<nlohmann::json> records;
  for_each_line(text, path, [&](std::string_view line, const std::string& where) {
    records.push_back(parse(line, where));
  });
  return records;
}

std::vector<nlohmann::json> read_good_json_lines(const std::filesystem::path& path) {
  const std::string text = read_file(path, kLargestFile);
  std::vector<nlohmann::json> records;
  for_each_line(text, path, [&](std::string_view line, const std::string& where) {
    try {
      records.push_back(parse(line, where));
    } catch (const Error&) {
      // A damaged line is skipped.
    }
  });
  return records;
}

size_t keep_lines(const std::filesystem::path& path,
                  const std::function<bool(const nlohmann::json&)>& keep) {
  std::error_code code;
  if (std::filesystem::status(path, code).type() == std::filesystem::file_type::not_found) return 0;
  const std::string text = read_file(path, kLargestFile);
  std::string kept;
  size_t damaged = 0;
  for_each_line(text, path, [&](std::string_view line, const std::string& where) {
    nlohmann::json record;
    try {
      record = parse(line, where);
    } catch (const Error&) {
      ++damaged;
      return;
    }
    if (keep(record)) kept.append(line).push_back('\n');
  });
  if (kept.size() != text.size()) write_atomically(path, kept);
  return damaged;
}

bool cut_to(const std::filesystem::path& path, const Extent& extent) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (code || size < extent.bytes) return extent.bytes == 0 && code;
  const InputFile file(path);
  if (extent.bytes > 0 && sum_of(file, extent.bytes).hex() != extent.sum) return false;
  if (size > extent.bytes) std::filesystem::resize_file(path, extent.bytes, code);
  if (code) {
    throw WriteError(join("[", path.string(), "] cannot be written: ", code.message()),
                     code.value());
  }
  return true;
}

JsonLinesWriter::JsonLinesWriter(const std::filesystem::path& path) : name_(path.string()) {
  const auto require = [&](bool ok, int code) {
    if (!ok) throw WriteError(join("[", name_, "] cannot be written: ", reason(code)), code);
  };
  file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  require(file_.is_open(), errno);
  const InputFile whole(path);
  if (whole.size() == 0) {  // new, or an earlier attempt to make its name durable failed
    const int code = sync_folder(path.parent_path());
    require(code == 0, code);
  }
  end_ = end_of_lines(whole);
  sum_ = sum_of(whole, end_);
  durable_ = end_;
  durable_sum_ = sum_;
  if (end_ == whole.size()) return;
  require(::ftruncate(file_.number(), static_cast<off_t>(end_)) == 0, errno);
}

JsonLinesWriter::~JsonLinesWriter() {
  if (file_.is_open()) flush();
}

void JsonLinesWriter::append_line(const std::string& line) {
  ADASSL_CHECK(line.find('\n') == std::string::npos, "[", name_, "] expected one line, got more");
  pending_.append(line).push_back('\n');
}

bool JsonLinesWriter::flush() {
  const int code = write_all_at(file_.number(), pending_, end_);
  if (code != 0) {
    // If this fails too, the next flush overwrites the partial lines: it starts at the same offset,
    // and pending_ only grows.
    [[maybe_unused]] const int ignored = ::ftruncate(file_.number(), static_cast<off_t>(end_));
    return report(code);
  }
  end_ += pending_.size();
  sum_.add(pending_);
  unsynced_ += pending_;
  pending_.clear();
  return report(0);
}

bool JsonLinesWriter::sync() {
  if (!flush()) return false;
  if (::fdatasync(file_.number()) != 0) {
    const int code = errno;
    pending_.swap(unsynced_);  // flush() left pending_ empty
    unsynced_.clear();
    end_ = durable_;
    sum_ = durable_sum_;
    return report(code);
  }
  durable_ = end_;
  durable_sum_ = sum_;
  unsynced_.clear();
  return report(0);
}

void JsonLinesWriter::sync_or_throw() {
  if (!sync()) throw WriteError(last_error_, last_code_);
}

bool JsonLinesWriter::report(int code) {
  last_code_ = code;
  last_error_ = code == 0 ? "" : join("[", name_, "] cannot be written: ", reason(code));
  return code == 0;
}

}  // namespace adassl::storage
