#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "adassl/records/record.h"

/// Whether a run learns, in words, from numbers that need no labels. docs/IS_IT_LEARNING.md says
/// where each bound comes from.
namespace adassl::records {

/// The watched numbers of a model at one step, under the names that the evaluations give them. NaN:
/// was not recorded. Every comparison with it is false, so it raises no alarm.
struct Signs {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double rankme = kNone;
  double rankme_share = kNone;
  double alignment = kNone;
  double uniformity = kNone;
  double watched_pairs = kNone;
  double identical_pairs = kNone;
  double kl = kNone;  // nats
  double active_dims = kNone;
  double explained_share = kNone;
  double found_from_x = kNone;
  double found_with_r = kNone;
  double found_from_r = kNone;
  double nearer_from_x = kNone;
};

struct Alarm {
  std::string name;  // collapse, rank, idle r, r alone, identical pairs, no progress
  std::string text;  // one or two sentences with numbers, and what to try
};

/// What is wrong with a model, given the same numbers before training.
std::vector<Alarm> alarms_of(const Signs& untrained, const Signs& now);

/// One sentence with the numbers of a model that raises no alarm. It begins with "It is learning"
/// or, where nothing tells how often x+ is found (a method that does not predict), with "No alarm".
std::string without_alarm(const Signs& untrained, const Signs& now);

/// The record of this, from a run's curve: its first point (step 0) and its last. Nothing if the
/// run was not watched from the beginning. "well": nothing raised an alarm; "says" tells what that
/// rests on.
///   {"kind": "health", "step": 3000, "well": false, "says": ["..."], "alarms": ["collapse"]}
/// Among the records of a study, "variant" names the variant of the row if there are several.
std::optional<Record> health_of(const Record& curve);

}  // namespace adassl::records
