#include "adassl/data/splits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/data/groups.h"
#include "adassl/data/pairing/time.h"
#include "adassl/data/samples/names.h"
#include "adassl/storage/checksum.h"

namespace adassl::data {
namespace {

constexpr int64_t kFewGroups = 50;
constexpr int64_t kLargeGroup = 20;  // the average number of samples from which groups are large
/// How much more than asked for may be lost to training, so that groups stay whole: a tenth of the
/// samples, and of the groups.
constexpr double kLargestLoss = 0.1;

/// Whether groups are rather classes, of which every part should have samples, than identities.
bool are_classes(const Bonds& bonds) {
  if (bonds.linked || bonds.groups >= kFewGroups) return false;
  const auto grouped = std::ranges::count_if(bonds.group, [](int32_t group) { return group >= 0; });
  return grouped >= kLargeGroup * bonds.groups;
}

/// Samples that must stay together. The name that comes first among theirs decides where they go,
/// so that a list may be in any order. The smallest of their hashes would not do: it is smaller for
/// larger units, which would all be held out.
struct Unit {
  uint64_t hash = 0;  // of that name
  int64_t first = 0;  // the sample that has it
  int64_t size = 0;
};

/// Orders samples by a hash of their names.
void shuffle(std::vector<int64_t>& samples, const SampleSet& set, uint64_t seed) {
  std::vector<std::pair<uint64_t, int64_t>> keyed;
  keyed.reserve(samples.size());
  for (const int64_t i : samples) {
    keyed.emplace_back(storage::short_sum(set.name(i), seed + 1), i);
  }
  std::ranges::sort(keyed);
  for (size_t k = 0; k < keyed.size(); ++k) samples[k] = keyed[k].second;
}

/// Takes units in this order as long as that brings the number of samples closer to the quota; if
/// all are too large, the smallest one. Marks them in `taken`.
void take_units(const std::vector<Unit>& units, const std::vector<size_t>& order, double quota,
                int8_t mark, std::vector<int8_t>& taken) {
  double count = 0;
  for (const size_t u : order) {
    const auto size = static_cast<double>(units[u].size);
    if (taken[u] != 0 || count + size / 2 > quota) continue;
    taken[u] = mark;
    count += size;
  }
  const auto left = std::ranges::count(taken, 0);
  if (count > 0 || quota <= 0 || left < 2) return;
  size_t smallest = units.size();
  for (const size_t u : order) {
    if (taken[u] != 0) continue;
    if (smallest == units.size() || units[u].size < units[smallest].size) smallest = u;
  }
  taken[smallest] = mark;
}

/// Adds sample i to a unit.
void add(int64_t i, const SampleSet& samples, uint64_t seed, Unit& unit) {
  const std::string name = samples.name(i);
  if (unit.size++ > 0 && !natural_less(name, samples.name(unit.first))) return;
  unit.first = i;
  unit.hash = storage::short_sum(name, seed);
}

/// `group_of` may be empty: every sample is a unit of its own.
Split by_units(const SampleSet& samples, const std::vector<int32_t>& group_of, int64_t groups,
               const SplitOptions& options) {
  const auto seed = static_cast<uint64_t>(options.split_seed);
  std::vector<Unit> units(static_cast<size_t>(group_of.empty() ? 0 : groups));
  std::vector<size_t> unit_of(static_cast<size_t>(samples.count()));
  for (int64_t i = 0; i < samples.count(); ++i) {
    const int32_t group = group_of.empty() ? -1 : group_of[static_cast<size_t>(i)];
    if (group < 0) units.emplace_back();
    const size_t u = group < 0 ? units.size() - 1 : static_cast<size_t>(group);
    add(i, samples, seed, units[u]);
    unit_of[static_cast<size_t>(i)] = u;
  }
  std::vector<size_t> order(units.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t u) { return std::pair(units[u].hash, units[u].first); });
  constexpr int8_t kTest = 1, kValidation = 2;
  std::vector<int8_t> taken(units.size());
  const auto count = static_cast<double>(samples.count());
  take_units(units, order, options.test * count, kTest, taken);
  take_units(units, order, options.validation * count, kValidation, taken);
  Split out;
  for (int64_t i = 0; i < samples.count(); ++i) {
    const int8_t mark = taken[unit_of[static_cast<size_t>(i)]];
    (mark == kTest ? out.test : mark == kValidation ? out.validation : out.train).push_back(i);
  }
  return out;
}

/// Cuts the last `share` of the samples before `end` off; returns their number.
int64_t block(const std::vector<int64_t>& ordered, int64_t end, double share) {
  const auto wanted =
      static_cast<int64_t>(std::llround(share * static_cast<double>(ordered.size())));
  return std::min(wanted, end);
}

/// Cuts every sequence into blocks of time.
Split by_time(const SampleSet& samples, const Bonds& bonds, const SplitOptions& options) {
  std::vector<int64_t> all(static_cast<size_t>(samples.count()));
  std::iota(all.begin(), all.end(), 0);
  const Pools sequences =
      make_pools(all, bonds.groups, [&](int64_t i) { return bonds.group[static_cast<size_t>(i)]; });
  const double gap = bonds.gap + samples.duration();
  Split out;
  for (int64_t s = 0; s < sequences.count(); ++s) {
    std::vector<int64_t> ordered(sequences[s].begin(), sequences[s].end());
    std::ranges::sort(ordered, {}, [&](int64_t i) { return std::pair(samples.time(i), i); });
    auto end = static_cast<int64_t>(ordered.size());
    const auto cut = [&](double share, std::vector<int64_t>& part) {
      const int64_t size = block(ordered, end, share);
      if (size == 0) return;
      part.insert(part.end(), ordered.begin() + end - size, ordered.begin() + end);
      end -= size;
      const double begin = samples.time(ordered[static_cast<size_t>(end)]);
      const auto too_near = [&](double time) {
        return time > begin - gap || time >= begin - samples.duration();  // or they overlap
      };
      while (end > 0 && too_near(samples.time(ordered[static_cast<size_t>(end) - 1]))) {
        --end;
        ++out.left_out;
      }
    };
    cut(options.test, out.test);
    cut(options.validation, out.validation);
    out.train.insert(out.train.end(), ordered.begin(), ordered.begin() + end);
  }
  std::ranges::sort(out.train);
  return out;
}

Split by_column(const SampleSet& samples, const SplitOptions& options) {
  const DataColumn& column =
      require_column(samples.columns(), options.split_column, "data.split_column");
  Split out;
  for (int64_t i = 0; i < samples.count(); ++i) {
    const std::string part = column.text(i);
    const bool validation = part == "validation" || part == "valid" || part == "val";
    ADASSL_CHECK(part == "train" || part == "test" || validation, "[data.split_column] '",
                 options.split_column, "': expected train, validation or test, got '", part, "'");
    (part == "train" ? out.train : part == "test" ? out.test : out.validation).push_back(i);
  }
  out.how = join("by the column ", options.split_column);
  return out;
}

/// Windows of a series and clips of a video may overlap, so a pairing that ties nothing together
/// does not make them independent: their sequences are cut in time.
Bonds with_sequences(const SampleSet& samples, const Bonds& bonds, const std::string& by) {
  const bool asked = by == "time";
  const bool overlap = by == "auto" && samples.duration() > 0;
  if (!bonds.group.empty() || !samples.has_time() || !(asked || overlap)) return bonds;
  return bonds_in_time(samples, 0);
}

/// How many groups have samples in each part, and how many have samples in more than one.
struct GroupsOfParts {
  int64_t train = 0, validation = 0, test = 0;
  int64_t divided = 0;
};

GroupsOfParts count_groups(const Split& split, const std::vector<int32_t>& group_of,
                           int64_t groups) {
  GroupsOfParts out;
  std::vector<int8_t> parts_of(static_cast<size_t>(groups));  // the number of each group's parts
  const auto count = [&](const std::vector<int64_t>& part) {
    std::vector<bool> met(static_cast<size_t>(groups));
    for (const int64_t sample : part) {
      const int32_t group = group_of[static_cast<size_t>(sample)];
      if (group >= 0) met[static_cast<size_t>(group)] = true;
    }
    for (size_t g = 0; g < met.size(); ++g) parts_of[g] = static_cast<int8_t>(parts_of[g] + met[g]);
    return std::ranges::count(met, true);
  };
  out.train = count(split.train);
  out.validation = count(split.validation);
  out.test = count(split.test);
  out.divided = std::ranges::count_if(parts_of, [](int8_t parts) { return parts > 1; });
  return out;
}

/// Whether so many samples and groups are left for training as was roughly asked for.
bool leaves_enough(const Split& split, const Bonds& bonds, const SplitOptions& options) {
  const double asked = 1 - options.validation - options.test - kLargestLoss;
  const auto all = static_cast<double>(bonds.group.size());
  const auto groups = static_cast<double>(bonds.groups);
  const GroupsOfParts parts = count_groups(split, bonds.group, bonds.groups);
  return static_cast<double>(split.train.size()) >= asked * all &&
         static_cast<double>(parts.train) >= asked * groups;
}

/// What to know about a split of whole groups.
void remark_on_groups(const std::vector<int32_t>& group_of, int64_t groups,
                      const SplitOptions& options, Split& out) {
  const GroupsOfParts parts = count_groups(out, group_of, groups);
  ADASSL_CHECK(parts.divided == 0, "[data] ", parts.divided, " groups are in two parts");
  const bool lacking = parts.train == 0 || (options.validation > 0 && parts.validation == 0) ||
                       (options.test > 0 && parts.test == 0);
  if (groups >= kFewGroups && !lacking) return;
  out.remarks.push_back(join("of the ", groups, " groups, ", parts.train, " are for training, ",
                             parts.validation, " for validation and ", parts.test,
                             " for the test: scores on so few groups say little about others"));
}

/// What to know about any split that the program makes: parts that were asked for and are empty,
/// and groups of the pairing that other units divide.
void remark_on_parts(const Bonds& bonds, const SplitOptions& options, Split& out) {
  const auto require = [&](const std::vector<int64_t>& part, double share, const char* name) {
    if (!part.empty() || share == 0) return;
    out.remarks.push_back(join("no sample is left for ", name, " (split ", out.how, ")"));
  };
  require(out.validation, options.validation, "validation");
  require(out.test, options.test, "the test");
  if (!out.keeps_groups || bonds.group.empty() || are_classes(bonds)) return;
  const int64_t divided = count_groups(out, bonds.group, bonds.groups).divided;
  if (divided == 0) return;
  out.remarks.push_back(join(divided, " of the ", bonds.groups,
                             " groups of the pairing are in more than one part (split ", out.how,
                             "): what is held out is partly known from training"));
}

Split split_as_asked(const SampleSet& samples, const Bonds& ties, const SplitOptions& options) {
  if (!options.split_column.empty()) return by_column(samples, options);
  const Bonds bonds = with_sequences(samples, ties, options.split_by);
  const std::string& by = options.split_by;
  if (by == "time" || (by == "auto" && bonds.in_time && bonds.groups < kFewGroups)) {
    ADASSL_CHECK(bonds.in_time,
                 "[data.split_by] time: expected samples in sequences, and a pairing in time or of "
                 "each sample with itself");
    Split out = by_time(samples, bonds, options);
    out.how =
        join("by blocks of time in ", bonds.groups, bonds.groups == 1 ? " sequence" : " sequences");
    return out;
  }
  if (by == "sample" || (by == "auto" && (bonds.group.empty() || are_classes(bonds)))) {
    Split out = by_units(samples, {}, 0, options);
    const bool classes = by == "auto" && !bonds.group.empty();
    out.how = classes ? join("by sample: the ", bonds.groups, " groups are few and large, so they ",
                             "are rather classes")
                      : "by sample";
    return out;
  }
  Split out;
  if (by == "auto" || by == "group") {
    ADASSL_CHECK(!bonds.group.empty(),
                 "[data.split_by] group: expected a pairing that has groups, got one without");
    out = by_units(samples, bonds.group, bonds.groups, options);
    const bool may_divide = by == "auto" && !bonds.linked && !bonds.in_time;
    if (may_divide && !leaves_enough(out, bonds, options)) {
      const int64_t left = count_groups(out, bonds.group, bonds.groups).train;
      out = by_units(samples, {}, 0, options);
      out.how =
          join("by sample: whole groups would leave ", left, " of ", bonds.groups, " for training");
      out.remarks.push_back(
          join("the ", bonds.groups,
               " groups are too few to hold whole ones out, so samples of all "
               "groups are: scores say little about new groups (data.split_by=group holds out "
               "whole ones)"));
      return out;
    }
    out.how = join("by group, ", bonds.groups, " of them");
    remark_on_groups(bonds.group, bonds.groups, options, out);
  } else {
    const Groups groups = group_by(samples, by, "data.split_by");
    out = by_units(samples, groups.of, groups.count(), options);
    out.how = join("by ", by, ", ", groups.count(), " groups");
    remark_on_groups(groups.of, groups.count(), options, out);
  }
  out.keeps_groups = true;
  return out;
}

/// The order of the samples within a part does not matter.
uint64_t sum_of(const Split& split, int64_t samples) {
  std::string part_of(static_cast<size_t>(samples), '-');
  const auto mark = [&](const std::vector<int64_t>& part, char letter) {
    for (const int64_t i : part) part_of[static_cast<size_t>(i)] = letter;
  };
  mark(split.train, 't');
  mark(split.validation, 'v');
  mark(split.test, 'e');
  return storage::short_sum(part_of, 0);
}

}  // namespace

void SplitOptions::visit(Fields& field) {
  field("validation", validation, "the share of samples that is held out for choosing", {0, 0.5});
  field("test", test, "the share of samples that is held out for the final score", {0, 0.5});
  field("split_by", split_by,
        "what stays together: group (of the pairing), sample, time (blocks of it), folder, a "
        "column or a regular expression; auto: blocks of time where sequences are fewer than 50, "
        "samples where groups are fewer than 50 with 20 samples or more on average, or so few that "
        "whole ones would take much more from training than was asked for, else groups");
  field("split_column", split_column, "a column that says train, validation or test instead");
  field("split_seed", split_seed, "names the split, whatever the run's seed", {0, 9e15});
}

Split split_samples(const SampleSet& samples, const Bonds& bonds, const SplitOptions& options) {
  Split out = split_as_asked(samples, bonds, options);
  if (options.split_column.empty()) remark_on_parts(bonds, options, out);
  out.sum = sum_of(out, samples.count());
  for (auto* part : {&out.train, &out.validation, &out.test}) part->shrink_to_fit();
  const auto seed = static_cast<uint64_t>(options.split_seed);
  shuffle(out.validation, samples, seed);
  shuffle(out.test, samples, seed);
  return out;
}

Split split_usable(const SampleSet& samples, const Bonds& bonds, const SplitOptions& options,
                   const std::vector<Rejected>& rejected) {
  Split out = split_samples(samples, bonds, options);
  const std::vector<bool> unusable = flags_of(rejected, samples.count());
  for (auto* part : {&out.train, &out.validation, &out.test}) {
    std::erase_if(*part, [&](int64_t i) { return unusable[static_cast<size_t>(i)]; });
  }
  return out;
}

std::string description(const Split& split) {
  return join(split.train.size(), " train, ", split.validation.size(), " validation, ",
              split.test.size(), " test (", split.how,
              split.left_out > 0 ? join(", ", split.left_out, " between blocks)") : ")");
}

}  // namespace adassl::data
