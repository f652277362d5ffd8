#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/study/study.h"

namespace adassl::study {
namespace {

constexpr int64_t kMostTrials = 1000;
constexpr int64_t kLargestSeed = int64_t{1} << 53;

const Study::Budget& budget_of(const Study& study, const std::string& budget) {
  const auto found = study.budgets.find(budget);
  if (found != study.budgets.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, cost] : study.budgets) known.push_back(name);
  throw Error(join("[", study.name, "] expected the budget ", text::list(known), ", got '", budget,
                   "'", text::did_you_mean(budget, known)));
}

/// Parses an integer that is not larger than a seed may be; a negative result means that the text
/// is none.
int64_t whole_number(std::string_view digits) {
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc() && stop == end && value <= kLargestSeed ? value : -1;
}

}  // namespace

Seeds seeds_of(const Study& study, const std::string& budget, const std::string& asked) {
  const int64_t start = study.first_seed;
  if (asked.empty()) return {start, start + budget_of(study, budget).seeds - 1};
  const size_t dash = asked.find('-');
  const bool range = dash != std::string::npos;
  const Seeds seeds = range ? Seeds{whole_number(std::string_view(asked).substr(0, dash)),
                                    whole_number(std::string_view(asked).substr(dash + 1))}
                            : Seeds{start, start + whole_number(asked) - 1};
  const int64_t end = start + kMostTrials - 1;
  ADASSL_CHECK(start <= seeds.first && seeds.first <= seeds.last && seeds.last <= end,
               "[--seeds] expected how many trials (1 to ", kMostTrials,
               ") or a range of seeds within ", start, "-", end, ", got '", asked, "'");
  return seeds;
}

int64_t horizon_of(const Study& study, const std::string& budget) {
  const Study::Budget& cost = budget_of(study, budget);
  if (cost.horizon > 0) return cost.horizon;
  const auto full = study.budgets.find("full");
  return full == study.budgets.end() ? cost.steps : std::max(cost.steps, full->second.steps);
}

namespace {

struct WarmUp {
  int64_t warmup_steps = 0;
  void visit(Fields& field) { field("warmup_steps", warmup_steps, "steps of a warm-up", {0, 1e9}); }
};

/// By how much a budget shortens the warm-ups of the configurations.
double share_of_warmups(const Study& study, const std::string& budget) {
  if (budget_of(study, budget).warmups != Study::kScaledWarmups) return 1;
  return static_cast<double>(horizon_of(study, budget)) /
         static_cast<double>(horizon_of(study, "full"));
}

/// Multiplies the warm-ups of beta and of the learning rate by this share, if the run has any.
void scale_warmups(StudyRun& run, double share) {
  Config config = requested_config(run);
  for (const std::string section : {"latent", "optimizer"}) {
    const auto steps = static_cast<double>(config.read<WarmUp>(section).warmup_steps);
    if (steps == 0) continue;
    run.overrides.push_back(fmt::format("{}.warmup_steps={}", section,
                                        std::max<int64_t>(1, std::llround(share * steps))));
  }
}

}  // namespace

std::vector<StudyRun> plan(const Study& study, const std::string& budget, const Seeds& seeds,
                           const std::filesystem::path& root) {
  const Study::Budget& cost = budget_of(study, budget);
  const int64_t horizon = horizon_of(study, budget);
  const double share = share_of_warmups(study, budget);
  const auto variants = study.variants.empty() ? std::vector<Study::Variant>{{}} : study.variants;
  std::vector<StudyRun> out;
  for (int64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    for (const auto& row : study.rows) {
      for (const auto& variant : variants) {
        std::vector<std::string> overrides;
        const auto add = [&](const std::vector<std::string>& set) {
          overrides.insert(overrides.end(), set.begin(), set.end());
        };
        add(study.set);
        add(cost.set);
        overrides.push_back(fmt::format("train.steps={}", cost.steps));
        if (horizon != cost.steps) overrides.push_back(fmt::format("train.horizon={}", horizon));
        add(row.set);  // may say otherwise, such as train.steps=0 for an untrained encoder
        add(variant.set);
        overrides.push_back(fmt::format("seed={}", seed));
        const std::string folder = variant.name.empty() ? row.name : row.name + "-" + variant.name;
        out.push_back({row.name, variant.name.empty() ? row.label : row.label + ", " + variant.name,
                       variant.name, seed, study.folder / row.config, overrides,
                       root / study.runs / budget / folder / fmt::format("seed-{}", seed)});
        if (share != 1) scale_warmups(out.back(), share);
      }
    }
  }
  return out;
}

std::vector<StudyRun> only_rows(const Study& study, const std::vector<StudyRun>& runs,
                                const std::vector<std::string>& rows) {
  std::vector<std::string> known;
  for (const auto& row : study.rows) known.push_back(row.name);
  for (const std::string& row : rows) {
    ADASSL_CHECK(std::find(known.begin(), known.end(), row) != known.end(), "[", study.name,
                 "] expected rows among ", text::list(known), ", got '", row, "'",
                 text::did_you_mean(row, known));
  }
  std::vector<StudyRun> out;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(out), [&](const StudyRun& run) {
    return rows.empty() || std::find(rows.begin(), rows.end(), run.row) != rows.end();
  });
  return out;
}

Config requested_config(const StudyRun& run) {
  Config config = Config::from_file(run.config);
  for (const std::string& assignment : run.overrides) config.override_with(assignment);
  return config;
}

}  // namespace adassl::study
