#include "adassl/storage/safetensors_header.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "adassl/core/error.h"
#include "adassl/core/text.h"

namespace adassl::storage {
namespace {

using Json = nlohmann::json;

constexpr size_t kLargestRank = 64;

/// Builds the header while the JSON is parsed, and throws at the first element that does not belong
/// in it. No JSON tree is built, so that deeply nested hostile input is harmless.
class HeaderBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderBuilder(const std::string& where) : where_(where) {}

  SafetensorsHeader header;

  bool start_object(size_t) override {
    if (place_ == Place::kStart) return go(Place::kTop);
    if (place_ != Place::kTop) fail("a nested object");
    in_metadata_ = name_ == "__metadata__";
    seen_.clear();
    return go(Place::kEntry);
  }

  bool key(string_t& key) override {
    if (place_ == Place::kTop) {
      const bool fresh = names_.insert(key).second;
      ADASSL_CHECK(fresh, "[", where_, "] the name '", printable(key), "' is there twice");
      name_ = key;
      return true;
    }
    field_ = key;
    ADASSL_CHECK(seen_.insert(key).second, place(), "the key '", printable(key),
                 "' is there twice");
    ADASSL_CHECK(in_metadata_ || key == "dtype" || key == "shape" || key == "data_offsets", place(),
                 "unknown key '", printable(key), "'");
    return true;
  }

  bool string(string_t& value) override {
    if (place_ != Place::kEntry) fail("a text");
    if (in_metadata_) {
      header.metadata[field_] = value;
      return true;
    }
    if (field_ != "dtype") fail("a text");
    const auto dtype = dtype_named(value);
    ADASSL_CHECK(dtype, place(), "unknown dtype '", printable(value), "'");
    header.tensors[name_].dtype = *dtype;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ != Place::kEntry || in_metadata_ || field_ == "dtype") fail("a list");
    numbers_.clear();
    return go(Place::kList);
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kList) fail("a number");
    ADASSL_CHECK(value <= INT64_MAX, place(), "a number is too large");
    ADASSL_CHECK(numbers_.size() < kLargestRank, place(), "more than ", kLargestRank,
                 " numbers in a list");
    numbers_.push_back(static_cast<int64_t>(value));
    return true;
  }

  bool end_array() override {
    if (field_ == "shape") {
      header.tensors[name_].shape = numbers_;
    } else {
      ADASSL_CHECK(numbers_.size() == 2, place(), "expected two data_offsets, got ",
                   numbers_.size());
      header.tensors[name_].begin = static_cast<uint64_t>(numbers_[0]);
      header.tensors[name_].end = static_cast<uint64_t>(numbers_[1]);
    }
    return go(Place::kEntry);
  }

  bool end_object() override {
    if (place_ == Place::kTop) return go(Place::kEnd);
    ADASSL_CHECK(in_metadata_ || seen_.size() == 3, place(),
                 "expected dtype, shape and data_offsets");
    return go(Place::kTop);
  }

  bool null() override { fail("null"); }
  bool boolean(bool) override { fail("true or false"); }
  bool number_integer(number_integer_t) override { fail("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { fail("a fraction"); }
  bool binary(binary_t&) override { fail("binary"); }
  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    throw Error(join("[", where_, "] the header is not valid JSON, at its byte ", position));
  }

 private:
  enum class Place { kStart, kTop, kEntry, kList, kEnd };

  bool go(Place place) {
    place_ = place;
    return true;
  }
  std::string place() const {
    return name_.empty() ? join("[", where_, "] ")
                         : join("[", where_, "] '", printable(name_), "': ");
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(join(place(), "the header holds ", what, " where none belongs"));
  }

  const std::string& where_;
  Place place_ = Place::kStart;
  bool in_metadata_ = false;
  std::string name_;
  std::string field_;
  std::set<std::string> names_;
  std::set<std::string> seen_;
  std::vector<int64_t> numbers_;
};

void check_sizes(const SafetensorsHeader& header, const std::string& where) {
  for (const auto& [name, tensor] : header.tensors) {
    const std::string place = join("[", where, "] '", printable(name), "': ");
    ADASSL_CHECK(tensor.begin <= tensor.end, place, "data_offsets are reversed");
    const auto expected = byte_count(tensor.dtype, tensor.shape);
    ADASSL_CHECK(expected, place, "the shape is too large");
    ADASSL_CHECK(tensor.end - tensor.begin == *expected, place, "expected ", *expected,
                 " bytes for its dtype and shape, got ", tensor.end - tensor.begin);
  }
}

void check_layout(const SafetensorsHeader& header, uint64_t data_bytes, const std::string& where) {
  using Named = std::pair<const std::string, TensorEntry>;
  std::vector<const Named*> order;
  for (const Named& named : header.tensors) order.push_back(&named);
  std::sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  uint64_t expected = 0;
  for (const Named* named : order) {
    const std::string place = join("[", where, "] '", printable(named->first), "': ");
    ADASSL_CHECK(named->second.begin >= expected, place, "overlaps another tensor");
    ADASSL_CHECK(named->second.begin == expected, place, "a hole lies before it, from byte ",
                 expected, " to ", named->second.begin);
    ADASSL_CHECK(named->second.end <= data_bytes, place, "ends at byte ", named->second.end,
                 " of the data, which has ", data_bytes);
    expected = named->second.end;
  }
  ADASSL_CHECK(expected == data_bytes, "[", where, "] expected ", expected, " bytes of data, got ",
               data_bytes);
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr size_t kLongest = 80;
  std::string out(text.substr(0, kLongest));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text.size() > kLongest ? out + "..." : out;
}

SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& where) {
  // The parser would take a zero byte for the end of its input.
  ADASSL_CHECK(json.find('\0') == std::string_view::npos, "[", where,
               "] the header is not valid JSON: it holds a zero byte");
  HeaderBuilder builder(where);
  Json::sax_parse(json, &builder);
  check_sizes(builder.header, where);
  check_layout(builder.header, data_bytes, where);
  return std::move(builder.header);
}

}  // namespace adassl::storage
