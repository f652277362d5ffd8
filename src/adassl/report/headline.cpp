#include "adassl/report/headline.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "adassl/report/numbers.h"

namespace adassl::report {
namespace {

/// More claims than this that do not hold are named by their places in the list below the sentence.
constexpr size_t kQuoted = 2;

std::string in_words(size_t number) {
  constexpr std::array kWords = {"none",  "one",   "two",  "three", "four",   "five",  "six",
                                 "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  return number < kWords.size() ? kWords[number] : std::to_string(number);
}

std::string place_in_words(size_t index) {
  constexpr std::array kWords = {"first", "second",  "third",  "fourth", "fifth",
                                 "sixth", "seventh", "eighth", "ninth",  "tenth"};
  return index < kWords.size() ? kWords[index] : fmt::format("claim in place {}", index + 1);
}

/// "a, b and c"
std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return out;
}

template <class Seeds>
std::string on_seeds(const Seeds& seeds) {
  std::vector<std::string> words;
  for (const int64_t seed : seeds) words.push_back(std::to_string(seed));
  return (words.size() == 1 ? "on seed " : "on seeds ") + listed(words);
}

/// The claims, sorted by what the records say of them.
struct Answers {
  size_t claims = 0, hold = 0, open = 0;
  std::vector<std::pair<size_t, const Claim*>> fail;  // on some seed; with their places
  std::set<int64_t> seeds;                            // of any claim
  bool each_has_all_seeds = true;                     // of those that are not open
  bool never = true;                                  // no claim holds on any seed
  bool single_trial = false;                          // there is one seed of every row
  bool shorter = false;                               // than the paper's training
};

Answers answers_of(const std::vector<Claim>& claims, const Table& table) {
  Answers out;
  out.claims = claims.size();
  for (size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = claims[i];
    out.seeds.insert(claim.holds.begin(), claim.holds.end());
    out.seeds.insert(claim.fails.begin(), claim.fails.end());
    out.never = out.never && claim.holds.empty();
    if (!claim.fails.empty()) {
      out.fail.emplace_back(i, &claim);
    } else {
      ++(claim.holds.empty() ? out.open : out.hold);
    }
  }
  for (const Claim& claim : claims) {
    const size_t own = claim.holds.size() + claim.fails.size();
    if (own > 0 && own < out.seeds.size()) out.each_has_all_seeds = false;
  }
  out.single_trial = std::ranges::all_of(table.rows, [](const Row& row) { return row.seeds < 2; });
  out.shorter =
      std::ranges::any_of(claims, [&](const Claim& claim) { return is_early(claim, table); });
  return out;
}

/// Where a claim has to hold: "in this trial", "in all 3 trials".
std::string trials_text(const Answers& answers) {
  const size_t count = answers.seeds.size();
  if (count == 1) return answers.single_trial ? "in this trial" : on_seeds(answers.seeds);
  if (!answers.each_has_all_seeds) return "on every seed that has the rows";
  return count == 2 ? "in both trials" : fmt::format("in all {} trials", count);
}

std::string about_none(const Answers& answers) {
  const std::string claims = in_words(answers.claims);
  const std::string yet = answers.shorter ? " yet" : "";
  const std::string begin = fmt::format("None of the paper's {} claims holds{}", claims, yet);
  if (!answers.never) return begin + " " + trials_text(answers);
  if (answers.seeds.size() == 1) {
    const std::string trial = answers.single_trial ? " in this trial," : "";
    return begin + trial + " " + on_seeds(answers.seeds);
  }
  return begin + (answers.seeds.size() == 2
                      ? " in either of 2 trials"
                      : fmt::format(" in any of {} trials", answers.seeds.size()));
}

/// "Four of the paper's five claims hold in this trial"
std::string beginning(const Answers& answers) {
  if (answers.hold == 0) return about_none(answers);
  const std::string hold = answers.hold == 1 ? "holds " : "hold ";
  if (answers.hold < answers.claims) {
    return fmt::format("{} of the paper's {} claims {}{}", capitalised(in_words(answers.hold)),
                       in_words(answers.claims), hold, trials_text(answers));
  }
  const std::string all = answers.claims == 2 ? "Both" : "All " + in_words(answers.claims);
  return fmt::format("{} of the paper's claims {}{}", all, hold, trials_text(answers));
}

/// "; it does not hold on seed 1 that more is kept"
std::string exceptions(const Answers& answers, const Table& table) {
  const bool quoted = answers.fail.size() <= kQuoted;
  const bool later = std::ranges::all_of(
      answers.fail, [&](const auto& fail) { return verdict(*fail.second, table) == "not yet"; });
  const std::string yet = later ? " yet" : "";
  std::vector<std::string> clauses;
  for (const auto& [place, claim] : answers.fail) {
    const std::string name = quoted ? "it" : "the " + place_in_words(place);
    const std::string verb = fmt::format("{} does not hold{} ", name, yet);
    const std::string what = quoted ? " that " + claim->says : "";
    const std::string next = quoted ? "nor " : name + " ";
    clauses.push_back((clauses.empty() ? verb : next) + on_seeds(claim->fails) + what);
  }
  const std::string out = clauses.size() == 2 ? clauses[0] + ", " + clauses[1] : listed(clauses);
  return out.empty() ? "" : "; " + out;
}

std::string about_one(const Claim& claim, const Answers& answers) {
  if (claim.fails.empty()) return "The paper's claim holds " + trials_text(answers);
  if (!claim.holds.empty()) {
    return fmt::format("The paper's claim holds {}, but not {}", on_seeds(claim.holds),
                       on_seeds(claim.fails));
  }
  return fmt::format("The paper's claim does not hold{} {}", answers.shorter ? " yet" : "",
                     on_seeds(claim.fails));
}

std::string about_unknown(const Answers& answers) {
  if (answers.claims == 1) {
    return "The paper's claim cannot be judged yet: no seed has all of its rows.";
  }
  return fmt::format(
      "None of the paper's {} claims can be judged yet: no seed has all of their rows.",
      in_words(answers.claims));
}

/// "Content is kept (R²: A 0.5 against B 0.2); both of the paper's claims hold ..." where the first
/// claim holds.
std::string after_the_first(const Claim& first, const Table& table, std::string summary) {
  if (first.holds.empty() || !first.fails.empty()) return summary;
  std::string found = finding(first, table);
  found.pop_back();  // its full stop
  summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(summary[0])));
  return found + "; " + summary;
}

}  // namespace

std::string headline(const std::vector<Claim>& claims, const Table& table) {
  if (claims.empty()) return "";
  const Answers answers = answers_of(claims, table);
  if (answers.open == claims.size()) return about_unknown(answers);
  if (claims.size() == 1) return about_one(claims.front(), answers) + ".";
  std::string out = beginning(answers);
  if (!answers.never) out += exceptions(answers, table);
  if (answers.open > 0) out += fmt::format("; {} cannot be judged yet", in_words(answers.open));
  return after_the_first(claims.front(), table, out + ".");
}

}  // namespace adassl::report
