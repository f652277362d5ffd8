#include "adassl/storage/safetensors.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/storage/file.h"

namespace adassl::storage {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLargestHeader = 100'000'000;  // the limit of the safetensors package

std::string little_endian(uint64_t value) {
  std::string out;
  for (uint64_t i = 0; i < kLengthBytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

void check_writable(const std::vector<TensorView>& tensors, const std::string& where) {
  std::set<std::string_view> names;
  for (const TensorView& tensor : tensors) {
    const std::string place = join("[", where, "] '", printable(tensor.name), "': ");
    ADASSL_CHECK(tensor.name != "__metadata__", place, "no tensor can have this name");
    ADASSL_CHECK(names.insert(tensor.name).second, place, "two tensors have this name");
    const auto expected = byte_count(tensor.dtype, tensor.shape);
    ADASSL_CHECK(expected && *expected == tensor.bytes.size(), place, "expected ",
                 expected.value_or(0), " bytes for its dtype and shape, got ", tensor.bytes.size());
  }
}

std::string header_text(const std::vector<const TensorView*>& order,
                        const std::map<std::string, std::string>& metadata,
                        const std::string& where) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const TensorView* tensor : order) {
    const uint64_t end = offset + byte_count(tensor->dtype, tensor->shape).value_or(0);
    // push_back, because operator[] of an ordered object searches all its keys.
    header.get_ref<nlohmann::ordered_json::object_t&>().push_back(
        {tensor->name, nlohmann::ordered_json{{"dtype", name_of(tensor->dtype)},
                                              {"shape", tensor->shape},
                                              {"data_offsets", {offset, end}}}});
    offset = end;
  }
  try {
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');  // so that the data starts aligned
    return text;
  } catch (const nlohmann::json::exception&) {
    throw Error(join("[", where, "] cannot be written: a name or the metadata is not valid UTF-8"));
  }
}

uint64_t header_length(const InputFile& file, const std::string& where) {
  ADASSL_CHECK(file.size() >= kLengthBytes, "[", where, "] expected a safetensors file, got only ",
               file.size(), " bytes");
  std::array<std::byte, kLengthBytes> bytes{};
  file.read_at(0, bytes);
  uint64_t length = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    length |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  ADASSL_CHECK(length <= kLargestHeader && length <= file.size() - kLengthBytes, "[", where,
               "] expected a safetensors file, got a header of ", length, " bytes in a file of ",
               file.size());
  return length;
}

}  // namespace

std::string safetensors_header(const std::string& name, Dtype dtype,
                               const std::vector<int64_t>& shape,
                               const std::map<std::string, std::string>& metadata) {
  const TensorView tensor{name, dtype, shape, {}};
  const std::string text = header_text({&tensor}, metadata, name);
  return little_endian(text.size()) + text;
}

void write_safetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  check_writable(tensors, path.string());
  std::vector<const TensorView*> order;
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    return a->dtype != b->dtype ? a->dtype > b->dtype : a->name < b->name;
  });
  const std::string header = header_text(order, metadata, path.string());
  ADASSL_CHECK(header.size() <= kLargestHeader, "[", path.string(),
               "] cannot be written: names and metadata take ", header.size(), " bytes, more than ",
               kLargestHeader);
  const std::string length = little_endian(header.size());
  std::vector<std::string_view> pieces = {length, header};
  for (const TensorView* tensor : order) {
    pieces.emplace_back(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  }
  write_atomically(path, pieces);
}

Safetensors Safetensors::read(const std::filesystem::path& path) {
  Safetensors out;
  out.where_ = path.string();
  const InputFile file(path);
  const uint64_t length = header_length(file, out.where_);
  std::string json(length, '\0');
  file.read_at(kLengthBytes, std::as_writable_bytes(std::span(json)));
  ADASSL_CHECK(json.starts_with('{'), "[", out.where_, "] the header does not start with '{'");
  const uint64_t data_bytes = file.size() - kLengthBytes - length;
  out.header_ = parse_safetensors_header(json, data_bytes, out.where_);
  ADASSL_CHECK(data_bytes <= host::physical_memory(), "[", out.where_,
               "] does not fit in memory: ", text::bytes(static_cast<double>(data_bytes)));
  out.data_ = std::make_unique_for_overwrite<std::byte[]>(data_bytes);
  file.read_at(kLengthBytes + length, {out.data_.get(), data_bytes});
  return out;
}

std::vector<std::string> Safetensors::names() const {
  std::vector<std::string> out;
  out.reserve(header_.tensors.size());
  for (const auto& [name, tensor] : header_.tensors) out.push_back(name);
  return out;
}

TensorView Safetensors::at(const std::string& name) const {
  const auto found = header_.tensors.find(name);
  ADASSL_CHECK(found != header_.tensors.end(), "[", where_, "] no tensor '", name, "'",
               printable(text::did_you_mean(name, names())));
  const TensorEntry& tensor = found->second;
  return {
      name, tensor.dtype, tensor.shape, {data_.get() + tensor.begin, tensor.end - tensor.begin}};
}

}  // namespace adassl::storage
