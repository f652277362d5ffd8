#include "adassl/data/samples/name_finder.h"

#include <algorithm>
#include <numeric>

namespace adassl::data {

NameFinder::NameFinder(const Names& names) : names_(names) {
  for (size_t form = 0; form < kForms; ++form) {
    sorted_[form].resize(static_cast<size_t>(names.count()));
    std::iota(sorted_[form].begin(), sorted_[form].end(), 0);
    std::ranges::sort(sorted_[form], {}, [&](uint32_t i) { return part(form, i); });
  }
}

std::string_view NameFinder::part(size_t form, uint32_t i) const {
  const std::string_view name = names_[i];
  if (form == 0) return name;
  if (form == 1) return without_extension(name);
  return form == 2 ? last_part(name) : without_extension(last_part(name));
}

int64_t NameFinder::find(std::string_view name) const {
  while (name.starts_with("./")) name.remove_prefix(2);
  for (size_t form = 0; form < kForms; ++form) {
    const std::vector<uint32_t>& sorted = sorted_[form];
    const auto found =
        std::ranges::lower_bound(sorted, name, {}, [&](uint32_t i) { return part(form, i); });
    const auto has_name = [&](auto at) { return at != sorted.end() && part(form, *at) == name; };
    if (has_name(found) && !has_name(found + 1)) return *found;
  }
  return -1;
}

}  // namespace adassl::data
