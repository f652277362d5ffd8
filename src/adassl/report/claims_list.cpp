#include "adassl/report/claims_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "adassl/core/text.h"
#include "adassl/report/claims.h"
#include "adassl/report/markdown.h"
#include "adassl/report/numbers.h"

namespace adassl::report {
namespace {

struct Answer {
  std::string verdict, path;
  bool open;
};

struct Entry {
  std::string says;
  std::vector<Answer> answers;
};

/// A study may have several files, for example one for each budget.
struct Group {
  std::string study;
  std::vector<Entry> entries;
};

/// The element of that name, which is added if it is not there.
template <class Element>
Element& element_of(std::vector<Element>& list, std::string Element::*key,
                    const std::string& name) {
  const auto found = std::ranges::find(list, name, key);
  if (found != list.end()) return *found;
  list.emplace_back();
  list.back().*key = name;
  return list.back();
}

/// "yes (3 seeds)", "mixed over seeds (not with seed 1)"
std::string verdict_text(const Claim& claim, const Table& table) {
  const std::string word = verdict(claim, table);
  const auto seeds = static_cast<int64_t>(claim.holds.size() + claim.fails.size());
  if (seeds == 0) return word;
  if (claim.holds.empty() || claim.fails.empty()) {
    return fmt::format("{} ({})", word, plural(seeds, "seed"));
  }
  return fmt::format("{} (not with {})", word, seeds_text(claim.fails));
}

void add(std::vector<Group>& groups, const Source& source) {
  const std::vector<Claim> claims = claims_of(source.records);
  if (claims.empty()) return;
  const Table table = make_table(source.records);
  const std::string reference = table.reference.empty() ? "" : " (" + table.reference + ")";
  Group& group = element_of(groups, &Group::study, table.title + reference);
  for (const Claim& claim : claims) {
    const bool open = claim.holds.empty() && claim.fails.empty();
    element_of(group.entries, &Entry::says, claim.says)
        .answers.push_back({verdict_text(claim, table), source.path, open});
  }
}

std::string lines_of(Entry entry) {
  const bool answered =
      std::ranges::any_of(entry.answers, [](const Answer& answer) { return !answer.open; });
  if (answered) std::erase_if(entry.answers, [](const Answer& answer) { return answer.open; });
  std::string out, name = markdown_escaped(capitalised(entry.says));
  for (const Answer& answer : entry.answers) {
    out += fmt::format("| {} | {} | {} |\n", name, answer.verdict, markdown_escaped(answer.path));
    name.clear();
  }
  return out;
}

}  // namespace

std::string claims_markdown(const std::vector<Source>& sources) {
  std::vector<Group> groups;
  for (const Source& source : sources) add(groups, source);
  if (groups.empty()) return "";
  std::string out = "| The paper's claim | holds here | shown by |\n|:--|:--|:--|\n";
  for (const Group& group : groups) {
    out += fmt::format("| *{}* | | |\n", markdown_escaped(group.study));
    for (const Entry& entry : group.entries) out += lines_of(entry);
  }
  return out;
}

}  // namespace adassl::report
