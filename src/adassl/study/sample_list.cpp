#include "adassl/study/sample_list.h"

#include <algorithm>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/files.h"
#include "adassl/storage/checksum.h"

namespace adassl::study {
namespace {

using nlohmann::json;

/// Checksums on the way tell up to where two lists are the same.
constexpr int64_t kSums = 32;

/// The user's samples; null if the data are something else.
const data::SampleSet* samples_of(const data::Source& source) {
  const auto* files = dynamic_cast<const data::Files*>(&source);
  return files == nullptr ? nullptr : &files->sample_set();
}

/// How they are divided; null for the same.
const data::Split* split_of(const data::Source& source) {
  const auto* files = dynamic_cast<const data::Files*>(&source);
  return files == nullptr ? nullptr : &files->split();
}

/// In what they are divided otherwise than when the run began; empty if they are not.
std::string change_of_split(const json& before, const data::Source& source) {
  if (!tells_division(before)) return "";
  const data::Split& now = *split_of(source);
  if (before["split"]["sum"] == text::hex(now.sum)) return "";
  return join(
      "expected the samples to be divided into training, validation and test as when the "
      "run began (",
      before["split"]["how"].get<std::string>(), "), got another division (", now.how,
      "): a table or this program's rule for data.split_by changed");
}

/// The number of samples that sum k of a list covers.
int64_t covered(size_t k, int64_t samples, size_t sums) {
  const auto whole = samples / static_cast<int64_t>(sums);
  const auto rest = samples % static_cast<int64_t>(sums);
  const auto parts = static_cast<int64_t>(k) + 1;
  return whole * parts + rest * parts / static_cast<int64_t>(sums);
}

/// The sums of the names of this set, at the places where a list of `samples` has its `count` sums;
/// fewer if the set is too small.
std::vector<std::string> sums_of(const data::SampleSet& set, int64_t samples, size_t count) {
  std::vector<std::string> out;
  storage::Checksum sum;
  for (int64_t i = 0; i < std::min(set.count(), samples) && out.size() < count; ++i) {
    sum.add_field(set.name(i));
    if (i + 1 == covered(out.size(), samples, count)) out.push_back(sum.hex());
  }
  return out;
}

}  // namespace

json list_of_samples(const data::Source& source) {
  const data::SampleSet* set = samples_of(source);
  if (set == nullptr) return nullptr;
  const int64_t count = set->count();
  const auto sums = static_cast<size_t>(set->pictures() > 0 ? std::min(count, kSums) : 0);
  json out = {{"count", count}, {"sums", sums_of(*set, count, sums)}};
  const data::Split& split = *split_of(source);
  out["split"] = {{"how", split.how}, {"sum", text::hex(split.sum)}};
  return out;
}

std::string change_of_samples(const json& before, const data::Source& source) {
  const data::SampleSet* set = samples_of(source);
  const bool told = before.is_object() && before.contains("count") &&
                    before["count"].is_number_integer() && before.contains("sums") &&
                    before["sums"].is_array();
  if (set == nullptr || !told) return "";
  const auto count = before["count"].get<int64_t>();
  const json& sums = before["sums"];
  const std::vector<std::string> now = sums_of(*set, count, sums.size());
  size_t differs = 0;
  while (differs < now.size() && sums[differs] == now[differs]) ++differs;
  const bool same = differs == sums.size();
  if (same && count == set->count()) return change_of_split(before, source);
  const int64_t known = differs == 0 ? 0 : covered(differs - 1, count, sums.size());
  std::string more;
  if (known > 0 && !(same && count < set->count())) {
    more = join("; up to '", set->name(known - 1), "' they are the same");
  } else if (same && count < set->count()) {
    more = join("; '", set->name(count), "' is new");
  }
  return join("expected the ", count, " samples with which the run began, got ", set->count(),
              count == set->count() ? " others" : "", more);
}

bool tells_division(const json& before) {
  if (!before.is_object() || !before.contains("split")) return false;
  const json& split = before["split"];
  const auto is_text = [&](const char* key) {
    return split.contains(key) && split[key].is_string();
  };
  return split.is_object() && is_text("how") && is_text("sum");
}

std::string division_of(const data::Source& source) {
  const data::Split* split = split_of(source);
  return split == nullptr ? "" : split->how;
}

std::vector<std::string> remarks_on(const data::Source& source, int64_t batch) {
  std::vector<std::string> out;
  if (const auto* files = dynamic_cast<const data::Files*>(&source)) out = files->split().remarks;
  if (const auto pairs = source.pair_count(); pairs && batch > *pairs) {
    out.push_back(join("a batch of ", batch, " has more pairs than the ", *pairs,
                       " that there are: pairs occur twice in it, and a contrastive loss takes "
                       "one for a negative of the other; a smaller train.batch avoids that"));
  }
  return out;
}

}  // namespace adassl::study
