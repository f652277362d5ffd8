#include "adassl/records/health.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "adassl/records/describe.h"

namespace adassl::records {
namespace {

using nlohmann::json;

constexpr double kCoinciding = -0.05;  // uniformity: distances of about 0.16 on the unit sphere
constexpr double kOnALine = 1.5;       // RankMe
constexpr double kLostRank = 1.0 / 3;  // of the untrained encoder's RankMe
constexpr double kIdleNats = 0.05;     // of all dimensions together
constexpr double kIdleShare = 0.01;    // of the loss
constexpr double kNearlyAll = 0.9;     // of the pairs, or of what is found
constexpr double kSome = 0.1;          // of the pairs
constexpr double kHalf = 0.5;          // of the pairs

std::string percent(double share) {
  const double value = 100 * share;
  return fmt::format("{:.{}f}%", value, value > 0 && value < 9.95 ? 1 : 0);
}

bool known(double value) { return std::isfinite(value); }

/// The share of pairs that two standard deviations of a guess among n candidates would find.
double chance(const Signs& signs) {
  const double n = signs.watched_pairs;
  return 1 / n + 2 * std::sqrt((1 - 1 / n) / n) / std::sqrt(n);
}

/// How often x+ is found with all that the model may use in training.
double found(const Signs& signs) {
  return known(signs.found_with_r) ? signs.found_with_r : signs.found_from_x;
}

std::string among(const Signs& signs) {
  return fmt::format("among {:.0f} watched pairs", signs.watched_pairs);
}

void look_for_collapse(const Signs& untrained, const Signs& now, std::vector<Alarm>& out) {
  if (now.uniformity > kCoinciding && !(found(now) > chance(now))) {
    const char* guess = known(found(now)) ? ", and x+ is found no more often than by a guess" : "";
    out.push_back(
        {"collapse",
         fmt::format("The embeddings have collapsed: those of different samples are nearly equal "
                     "(uniformity {:.3f}, alignment {:.3f}){}. Try a smaller learning rate or "
                     "weight decay, and an objective with negatives or a target network.",
                     now.uniformity, now.alignment, guess)});
    return;
  }
  const bool line = now.rankme < kOnALine;
  if (!line && !(now.rankme < kLostRank * untrained.rankme)) return;
  out.push_back(
      {"rank",
       fmt::format("The embeddings have lost dimensions: RankMe is {:.1f} of {:.0f}, and was "
                   "{:.1f} before training{}. Try a larger batch, a lower temperature or a "
                   "smaller learning rate.",
                   now.rankme, now.rankme / now.rankme_share, untrained.rankme,
                   line ? "; they lie almost on a line" : "")});
}

void look_at_r(const Signs& now, std::vector<Alarm>& out) {
  const bool free = now.kl < kIdleNats || now.active_dims < 0.5;
  const bool useless = now.explained_share < kIdleShare;
  if (free || useless) {
    std::string why = free && known(now.kl) ? fmt::format("it costs {:.3f} nats", now.kl)
                      : free                ? std::string("no gate opens")
                                            : std::string();
    if (known(now.explained_share)) {
      const double share = now.explained_share;
      why += fmt::format("{}the loss is {} smaller with it than with an imagined one",
                         why.empty() ? "" : ", and ", share < 0.0005 ? "no" : percent(share));
    }
    out.push_back({"idle r", fmt::format("r is idle: {}. Either x and x+ differ in nothing that r "
                                         "could carry, or latent.beta is too large.",
                                         why)});
    return;
  }
  const bool names_pairs = now.found_with_r >= kNearlyAll || now.kl >= std::log(now.watched_pairs);
  const bool x_is_useless = now.found_from_x <= chance(now) && names_pairs;
  const bool r_suffices = now.found_from_r >= kNearlyAll * now.found_with_r;
  if (!(now.found_with_r >= kSome) || (!x_is_useless && !r_suffices)) return;
  const std::string price =
      known(now.kl)
          ? fmt::format(" It costs {:.1f} nats; {:.1f} suffice to name one of {:.0f} pairs.",
                        now.kl, std::log(now.watched_pairs), now.watched_pairs)
          : "";
  out.push_back(
      {"r alone",
       fmt::format(
           "r carries everything: {}, x+ is found in {} of cases from x alone, in {} with r, "
           "and in {} with r and the x of another pair.{} The encoder need not learn what "
           "pairs share. Try a larger latent.beta or fewer dimensions of r.",
           among(now), percent(now.found_from_x), percent(now.found_with_r),
           percent(now.found_from_r), price)});
}

void look_at_pairs(const Signs& now, std::vector<Alarm>& out) {
  if (!(now.identical_pairs >= kHalf)) return;
  out.push_back(
      {"identical pairs",
       fmt::format("x and x+ are identical in {} of the watched pairs, which teach nothing. "
                   "Choose other pairs, or views that change something.",
                   percent(now.identical_pairs))});
}

/// Whether a share of comparisons in which a guess has 1/2 has grown by two standard errors. The
/// rank of one target among all is uniform under a guess, which has a variance of 1/12.
bool nearer_than_before(const Signs& untrained, const Signs& now) {
  const double error = std::sqrt(2.0 / 12 / now.watched_pairs);
  return now.nearer_from_x > untrained.nearer_from_x + 2 * error;
}

/// Only where nothing else explains it.
void look_for_progress(const Signs& untrained, const Signs& now, std::vector<Alarm>& out) {
  const double before = found(untrained);
  const double error = std::sqrt(before * (1 - before) / now.watched_pairs);
  if (!out.empty() || !(found(now) < kNearlyAll) || found(now) > before + 2 * error) return;
  if (nearer_than_before(untrained, now)) return;
  const std::string nearer =
      known(now.nearer_from_x)
          ? fmt::format(
                ". From x alone, x+ is nearer than that of another pair in {} of cases (a "
                "guess: 50%), and was in {}",
                percent(now.nearer_from_x), percent(untrained.nearer_from_x))
          : "";
  out.push_back(
      {"no progress",
       fmt::format("There is no sign of learning: {}, x+ is found in {} of cases, and was in {} "
                   "before training{}. Try more steps or another learning rate.",
                   among(now), percent(found(now)), percent(before), nearer)});
}

double at(const json& points, const char* name, size_t i) {
  const auto column = points.find(name);
  if (column == points.end() || !column->is_array() || i >= column->size()) return Signs::kNone;
  const json& value = (*column)[i];
  return value.is_number() ? value.get<double>() : Signs::kNone;
}

Signs signs_at(const json& points, size_t i) {
  const auto value = [&](const char* name) { return at(points, name, i); };
  return {.rankme = value("rankme"),
          .rankme_share = value("rankme_share"),
          .alignment = value("alignment"),
          .uniformity = value("uniformity"),
          .watched_pairs = value("watched_pairs"),
          .identical_pairs = value("identical_pairs"),
          .kl = value("kl"),
          .active_dims = value("active_dims"),
          .explained_share = value("explained_share"),
          .found_from_x = value("found_from_x"),
          .found_with_r = value("found_with_r"),
          .found_from_r = value("found_from_r"),
          .nearer_from_x = value("nearer_from_x")};
}

}  // namespace

std::vector<Alarm> alarms_of(const Signs& untrained, const Signs& now) {
  std::vector<Alarm> out;
  look_at_pairs(now, out);
  look_for_collapse(untrained, now, out);
  const bool collapsed =
      std::ranges::any_of(out, [](const Alarm& a) { return a.name == "collapse"; });
  if (!collapsed) look_at_r(now, out);
  look_for_progress(untrained, now, out);
  return out;
}

std::string without_alarm(const Signs& untrained, const Signs& now) {
  const bool measured = known(found(now));
  std::string out = measured ? "It is learning: " : "No alarm: ";
  if (measured) {
    out += fmt::format("{}, x+ is found in {} of cases from x alone", among(now),
                       percent(now.found_from_x));
    if (known(now.found_with_r)) out += fmt::format(" and in {} with r", percent(now.found_with_r));
    out += fmt::format(" (before training {})", percent(found(untrained)));
    if (known(now.nearer_from_x)) {
      out += fmt::format(", and from x alone it is nearer than another in {} (before {})",
                         percent(now.nearer_from_x), percent(untrained.nearer_from_x));
    }
    out += "; ";
  }
  out += fmt::format("embeddings use {:.1f} of {:.0f} dimensions by RankMe (before {:.1f})",
                     now.rankme, now.rankme / now.rankme_share, untrained.rankme);
  if (known(now.kl)) {
    out += fmt::format("; r costs {:.2f} nats in {:.0f} dimensions", now.kl, now.active_dims);
  } else if (known(now.active_dims)) {
    out += fmt::format("; r uses {:.0f} dimensions", now.active_dims);
  }
  if (known(now.explained_share)) {
    out += fmt::format(" and explains {} of the loss", percent(now.explained_share));
  }
  if (!measured) out += "; how often x+ is found was not measured, so that learning is not shown";
  return out + ".";
}

std::optional<Record> health_of(const Record& curve) {
  const auto points = curve.rest.find("points");
  if (points == curve.rest.end() || !points->is_object()) return std::nullopt;
  const auto steps = points->find("step");
  if (steps == points->end() || !steps->is_array() || steps->size() < 2) return std::nullopt;
  const size_t last = steps->size() - 1;
  const Signs untrained = signs_at(*points, 0);
  const Signs now = signs_at(*points, last);
  const double step = at(*points, "step", last);
  const bool watched = at(*points, "step", 0) == 0 && known(untrained.rankme) && known(now.rankme);
  if (!watched || !(step > 0 && step < 9e15)) return std::nullopt;
  Record out{.kind = std::string(kHealth)};
  out.step = static_cast<int64_t>(step);
  const std::vector<Alarm> alarms = alarms_of(untrained, now);
  json names = json::array(), says = json::array();
  for (const Alarm& alarm : alarms) {
    names.push_back(alarm.name);
    says.push_back(alarm.text);
  }
  if (alarms.empty()) says.push_back(without_alarm(untrained, now));
  out.rest = {{"well", alarms.empty()}, {"alarms", names}, {"says", says}};
  const Metric* pairs = find_metric(curve.descriptions, "watched_pairs");
  if (pairs != nullptr && known(now.watched_pairs)) {
    out.rest["watched"] = fmt::format("{:.0f} {}", now.watched_pairs, pairs->about);
  }
  return out;
}

}  // namespace adassl::records
