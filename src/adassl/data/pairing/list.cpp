#include "adassl/data/pairing/list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/samples/array_file.h"
#include "adassl/data/samples/name_finder.h"
#include "adassl/storage/csv.h"

namespace adassl::data {
namespace {

/// Which samples pairs connect, directly or over others.
class Components {
 public:
  explicit Components(int64_t count) : parent_(static_cast<size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int32_t root(int64_t i) {
    auto at = static_cast<size_t>(i);
    while (static_cast<size_t>(parent_[at]) != at) {
      parent_[at] = parent_[static_cast<size_t>(parent_[at])];
      at = static_cast<size_t>(parent_[at]);
    }
    return static_cast<int32_t>(at);
  }
  void unite(int64_t a, int64_t b) {
    const int32_t left = root(a), right = root(b);
    parent_[static_cast<size_t>(std::max(left, right))] = std::min(left, right);
  }

 private:
  std::vector<int32_t> parent_;
};

}  // namespace

ListPairing::ListPairing(const Options& options, const PairingContext& context)
    : samples_(context.samples), ordered_(options.ordered) {
  ADASSL_CHECK(!options.path.empty(), "[pairing] list: expected pairing.path=FILE, got nothing");
  if (text::lower_case(options.path).ends_with(".npy")) {
    read_numbers(options.path);
  } else {
    read_table(options.path);
  }
  ADASSL_CHECK(!pairs_.empty(), "[", options.path, "] expected pairs, got none");
  ADASSL_CHECK(pairs_.size() <= std::numeric_limits<uint32_t>::max(), "[", options.path,
               "] expected less than 2^32 pairs, got ", pairs_.size());
}

void ListPairing::add(const int64_t* numbers, int64_t width, const std::string& where) {
  for (int64_t i = 0; i < width; ++i) {
    ADASSL_CHECK(numbers[i] >= 0 && numbers[i] < samples_.count(), "[", where,
                 "] expected the number of a sample, 0 to ", samples_.count() - 1, ", got ",
                 numbers[i]);
  }
  pairs_.push_back({numbers[0], numbers[1], width > 2 ? numbers[2] : -1});
}

void ListPairing::read_numbers(const std::string& path) {
  const storage::NpyArray array = storage::read_npy(path);
  const bool whole = array.dtype == storage::Dtype::kI64 || array.dtype == storage::Dtype::kI32;
  ADASSL_CHECK(whole && array.shape.size() == 2 && (array.shape[1] == 2 || array.shape[1] == 3),
               "[", path, "] expected int64 or int32 of shape [pairs, 2] or [pairs, 3], got ",
               name_of(array.dtype), " with ", array.shape.size(), " dimensions");
  const int64_t width = array.shape[1];
  further_ = width == 3;
  std::array<int64_t, 3> numbers{};
  for (int64_t row = 0; row < array.shape[0]; ++row) {
    for (int64_t i = 0; i < width; ++i) {
      numbers[static_cast<size_t>(i)] = whole_number(array, row * width + i);
    }
    add(numbers.data(), width, join(path, ", row ", row));
  }
}

void ListPairing::read_table(const std::string& path) {
  storage::CsvReader reader(path);
  const auto columns = static_cast<int64_t>(reader.columns().size());
  ADASSL_CHECK(columns >= 2, "[", path, "] expected two columns, a and b, got ", columns);
  const bool named = reader.find("a") >= 0 && reader.find("b") >= 0;
  std::vector<size_t> places = {0, 1};
  if (named) {
    places = {static_cast<size_t>(reader.find("a")), static_cast<size_t>(reader.find("b"))};
    if (reader.find("c") >= 0) places.push_back(static_cast<size_t>(reader.find("c")));
  } else if (columns == 3) {
    places.push_back(2);
  }
  further_ = places.size() == 3;
  Names names;
  for (int64_t i = 0; i < samples_.count(); ++i) names.add(samples_.name(i));
  const NameFinder finder(names);
  std::array<int64_t, 3> numbers{};
  for (std::vector<std::string> fields; reader.next(fields);) {
    for (size_t i = 0; i < places.size(); ++i) {
      const std::string& field = fields[places[i]];
      numbers[i] = finder.find(field);
      double number = 0;
      if (numbers[i] >= 0) continue;
      ADASSL_CHECK(storage::parse_number(field, number) && number == std::floor(number) &&
                       std::abs(number) < 1e15,
                   "[", reader.where(), "] expected a sample's name or number, got '", field, "'");
      numbers[i] = static_cast<int64_t>(number);
    }
    add(numbers.data(), static_cast<int64_t>(places.size()), reader.where());
  }
}

Bonds ListPairing::bonds() const {
  Components components(samples_.count());
  for (const Pair& pair : pairs_) {
    components.unite(pair.x, pair.x_plus);
    if (pair.further >= 0) components.unite(pair.x, pair.further);
  }
  Bonds out{.linked = true};
  std::vector<int32_t> number(static_cast<size_t>(samples_.count()), -1);
  for (int64_t i = 0; i < samples_.count(); ++i) {
    int32_t& group = number[static_cast<size_t>(components.root(i))];
    if (group < 0) group = static_cast<int32_t>(out.groups++);
    out.group.push_back(group);
  }
  return out;
}

void ListPairing::use(std::span<const int64_t> members) {
  std::vector<bool> member(static_cast<size_t>(samples_.count()));
  for (const int64_t sample : members) member[static_cast<size_t>(sample)] = true;
  const auto is = [&](int64_t sample) { return member[static_cast<size_t>(sample)]; };
  used_.clear();
  int64_t partly = 0;
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const Pair& pair = pairs_[k];
    const bool whole = is(pair.x) && is(pair.x_plus) && (pair.further < 0 || is(pair.further));
    if (whole) used_.push_back(static_cast<uint32_t>(k));
    if (!whole && (is(pair.x) || is(pair.x_plus))) ++partly;
  }
  remark_ = partly == 0
                ? ""
                : join(partly, partly == 1 ? " pair of the list is" : " pairs of the list are",
                       " left out: a sample of it is held out or unusable");
}

Pair ListPairing::pair(int64_t k, random::Sequence& draws) const {
  const Pair& pair = pairs_[used_[static_cast<size_t>(k)]];
  if (ordered_ || further_ || draws.bernoulli(0.5)) return pair;
  return {pair.x_plus, pair.x};
}

}  // namespace adassl::data
