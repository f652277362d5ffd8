#include "adassl/study/own_data.h"

#include <algorithm>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/data/files.h"
#include "adassl/data/progress.h"
#include "adassl/data/usual.h"
#include "adassl/kernels/peak.h"
#include "adassl/kernels/threads.h"
#include "adassl/parts/automatic.h"
#include "adassl/parts/resolve.h"

namespace adassl::study {
namespace {

namespace fs = std::filesystem;
using parts::Choice;

/// The option of a part that this key names, if its values are paths.
std::optional<FieldDescription> path_option(const std::string& key,
                                            const parts::Catalogue& catalogue) {
  const size_t dot = key.rfind('.');
  if (dot == std::string::npos) return {};
  const auto table = catalogue.parts.find(key.substr(0, dot));
  if (table == catalogue.parts.end()) return {};
  for (const PartDescription& part : table->second) {
    for (const FieldDescription& field : part.describe()) {
      if (field.type == kPathType && field.name == key.substr(dot + 1)) return field;
    }
  }
  return {};
}

/// The overrides with whole paths, so that later commands find the files from anywhere.
std::vector<std::string> with_whole_paths(std::vector<std::string> overrides,
                                          const parts::Catalogue& catalogue) {
  for (std::string& assignment : overrides) {
    const std::string key = text::trim(assignment.substr(0, assignment.find('=')));
    const auto option = path_option(key, catalogue);
    if (!option) continue;
    Config one = Config::from_text("", "command line");
    one.override_with(assignment);
    const std::string path = one.read_text(key, "", "");
    const auto words = text::split(option->allowed, '|');
    const bool is_word = std::ranges::any_of(
        words, [&](const std::string& word) { return text::trim(word) == path; });
    if (!path.empty() && !is_word) assignment = key + "=" + fs::absolute(path).string();
  }
  return overrides;
}

/// What the overrides say about a key; nullopt if they do not mention it.
std::optional<std::string> given(const std::vector<std::string>& overrides,
                                 const std::string& key) {
  std::optional<std::string> out;
  for (const std::string& assignment : overrides) {
    if (assignment.starts_with(key + "=")) out = assignment.substr(key.size() + 1);
  }
  return out;
}

double speed_of_machine() {
  const int before = kernels::threads();
  kernels::set_threads(static_cast<int>(host::logical_cores()));
  const double gflops = kernels::peak_gflops();
  kernels::set_threads(before);
  return gflops;
}

const char* reason_for(const std::string& pairing) {
  if (pairing == "time") return "clips of one video or folder follow each other";
  return pairing == "group" ? "samples of one folder belong together"
                            : "nothing says which samples belong together";
}

/// Which kind of part a section has, as far as the choices and the method decide it.
class ChosenKinds {
 public:
  ChosenKinds(const std::vector<std::string>& overrides, const std::vector<Choice>& choices,
              const parts::Catalogue& catalogue)
      : overrides_(overrides), choices_(choices), catalogue_(catalogue) {
    method_ = given(overrides, "method").value_or("adassl-v");
  }

  std::string operator()(const std::string& section) const {
    const std::string key = section + ".kind";
    if (const auto value = given(overrides_, key)) return *value;
    const auto& method = find(catalogue_.methods, "method", method_);
    for (const auto& [fixed, value] : method.fixed) {
      if (fixed == key) return value;
    }
    for (const Choice& choice : choices_) {
      if (choice.key == key) return choice.value.substr(1, choice.value.size() - 2);
    }
    for (const auto& [suggested, value] : method.suggested) {
      if (suggested == key) return value;
    }
    for (const PartUse& use : method.uses) {
      if (use.section == section) return std::string(use.otherwise);
    }
    return "";
  }

  /// Whether somebody will read this key: a choice for another kind of part means nothing.
  bool reads(const std::string& key) const {
    const size_t dot = key.find('.');
    if (dot == std::string::npos) return true;
    const std::string section = key.substr(0, dot);
    const auto table = catalogue_.parts.find(section);
    if (table == catalogue_.parts.end() || key == section + ".kind") return true;
    for (const PartDescription& part : table->second) {
      if (part.name != (*this)(section)) continue;
      return std::ranges::any_of(part.describe(), [&](const FieldDescription& field) {
        return section + "." + field.name == key;
      });
    }
    return false;
  }

 private:
  const std::vector<std::string>& overrides_;
  const std::vector<Choice>& choices_;
  const parts::Catalogue& catalogue_;
  std::string method_;
};

/// The samples as a run of this configuration pairs and splits them. They serve the choices alone:
/// a run is built from its configuration and nothing else, so that it is the same when it is
/// resumed.
struct OwnPairs {
  OwnPairs(Config config, const data::SampleSet& samples)
      : pairing(make_part(data::pairings(), config, "pairing", "self",
                          data::PairingContext{samples, 1})),
        split(data::split_usable(samples, pairing->bonds(), config.read<data::SplitOptions>("data"),
                                 samples.rejected())) {
    pairing->use(split.train);
  }

  std::shared_ptr<data::Pairing> pairing;
  data::Split split;
};

/// The choices that the overrides leave open and that somebody reads.
std::vector<Choice> open_choices(const std::vector<Choice>& rules,
                                 const std::vector<std::string>& overrides,
                                 const parts::Catalogue& catalogue) {
  const ChosenKinds kinds(overrides, rules, catalogue);
  std::vector<Choice> out;
  for (const Choice& choice : rules) {
    // An editor is chosen only for the r that it was chosen with.
    if (choice.key.starts_with("editor.") && kinds("latent") != "variational") continue;
    if (given(overrides, choice.key) || !kinds.reads(choice.key)) continue;
    out.push_back(choice);
  }
  return out;
}

/// What standardises the numbers of arrays, unless the user says anything about it.
std::vector<Choice> standardising_choices(const data::SampleSet& samples, const data::Split& split,
                                          const std::vector<std::string>& overrides) {
  const auto* arrays = dynamic_cast<const data::Arrays*>(&samples);
  const bool asked = given(overrides, "samples.mean") || given(overrides, "samples.deviation");
  if (arrays == nullptr || asked || split.train.empty()) return {};
  const data::Moments moments = data::moments_of(*arrays, split.train);
  return parts::standardising_choices(moments.mean, moments.deviation);
}

/// The value of a choice, if it fits in a line.
std::string shown(const Choice& choice) {
  constexpr size_t kLongest = 60;
  if (choice.value.size() <= kLongest) return choice.value;
  return fmt::format("{}... ({} numbers)", choice.value.substr(0, choice.value.find(',') + 2),
                     1 + std::ranges::count(choice.value, ','));
}

parts::DataFacts facts_of(const data::SampleSet& samples, const data::Pairing& pairing) {
  parts::DataFacts out;
  out.frames = samples.pictures();
  out.side = out.frames > 0 ? data::typical_side(samples) : 0;
  out.shape = samples.shape();
  out.pairs = pairing.count();
  out.gflops = speed_of_machine();
  return out;
}

}  // namespace

bool is_own_data(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) || path.extension() != ".toml";
}

Config own_data_config(const std::string& path, const std::vector<std::string>& given_overrides,
                       const parts::Catalogue& catalogue, std::ostream& out) {
  const std::vector<std::string> overrides = with_whole_paths(given_overrides, catalogue);
  const std::string kind = given(overrides, "data.kind").value_or("files");
  ADASSL_CHECK(kind == "files", "[", path, "] expected a configuration for data.kind = ", kind,
               ", such as one of configs/, got a folder or file");
  const std::string found = data::kind_of_samples(path);
  std::vector<Choice> first = {{"data.kind", "\"files\"", ""},
                               {"samples.path", to_toml(fs::absolute(path).string()), ""},
                               {"samples.kind", to_toml(found), ""}};
  const auto configuration = [&](const std::vector<Choice>& choices) {
    std::string text;
    for (const Choice& choice : choices) text += choice.key + " = " + choice.value + "\n";
    Config config = Config::from_text(text, path);
    for (const std::string& assignment : overrides) config.override_with(assignment);
    return config;
  };
  Config looking = configuration(first);
  const auto samples =
      make_part(data::sample_kinds(), looking, "samples", "images", data::terminal_progress());
  const std::string pairing_kind =
      given(overrides, "pairing.kind")
          .value_or(
              data::usual_pairing(given(overrides, "samples.kind").value_or(found), *samples));
  first.push_back({"pairing.kind", to_toml(pairing_kind), reason_for(pairing_kind)});
  const OwnPairs own(configuration(first), *samples);
  parts::DataFacts facts = facts_of(*samples, *own.pairing);
  facts.same_sample = pairing_kind == "self";
  // Warm-ups and probes follow the steps, so they have to know them.
  if (given(overrides, "train.steps")) {
    facts.steps = configuration(first).read<parts::LoopOptions>("train").steps;
  }
  std::vector<Choice> chosen = first;
  std::ranges::copy(standardising_choices(*samples, own.split, overrides),
                    std::back_inserter(chosen));
  std::ranges::copy(open_choices(parts::automatic_choices(facts), overrides, catalogue),
                    std::back_inserter(chosen));
  Config checked = configuration(chosen);
  parts::resolve(checked, catalogue);  // a misspelt key is reported before anything is printed
  out << fmt::format("{}: {} samples, split into {}\n{} pairs in an epoch; chosen for them:\n",
                     path, samples->count(), data::description(own.split), facts.pairs);
  for (size_t i = 2; i < chosen.size(); ++i) {
    if (given(overrides, chosen[i].key)) continue;
    out << fmt::format("  {:<26} {:<18} {}\n", chosen[i].key, shown(chosen[i]), chosen[i].reason);
  }
  return configuration(chosen);
}

}  // namespace adassl::study
