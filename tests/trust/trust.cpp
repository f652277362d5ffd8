/// Disturbs the program in every way that a machine can, and checks that nothing is lost.

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "trust/commands.h"
#include "trust/process.h"

namespace {

using adassl::trust::Options;
using adassl::trust::Outcome;

constexpr const char* kUsage =
    "trust inject (--all | --sample K | --only SCENARIO:KIND:NUMBER:ACTION) [--jobs J] [--seed S]"
    " [--keep]\n"
    "trust kills --count N [--jobs J] [--seed S] [--keep]\n"
    "trust signals [--jobs J] [--keep]\n"
    "trust full-disk [--only wait:NUMBER] [--jobs J] [--keep]\n";

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (++i == words.size()) throw std::invalid_argument(words[i - 1] + " needs a value");
      return words[i];
    };
    const std::string& word = words[i];
    if (word == "--all") {
      options.all = true;
    } else if (word == "--keep") {
      options.keep = true;
    } else if (word == "--only") {
      options.only = value();
    } else if (word == "--sample") {
      options.sample = std::stoul(value());
    } else if (word == "--count") {
      options.count = std::stoul(value());
    } else if (word == "--jobs") {
      options.jobs = std::stoul(value());
    } else if (word == "--seed") {
      options.seed = std::stoul(value());
    } else {
      throw std::invalid_argument("unknown option " + word);
    }
  }
  return options;
}

Outcome run(const std::string& command, const Options& options) {
  if (command == "inject") return adassl::trust::inject(options);
  if (command == "kills") return adassl::trust::kills(options);
  if (command == "signals") return adassl::trust::signals(options);
  if (command == "full-disk") return adassl::trust::full_disk(options);
  throw std::invalid_argument("unknown command " + command);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    std::cerr << kUsage;
    return 2;
  }
  try {
    const double start = adassl::trust::seconds_now();
    Outcome outcome = run(words[0], parse({words.begin() + 1, words.end()}));
    outcome.seconds = adassl::trust::seconds_now() - start;
    return conclude(outcome);
  } catch (const std::exception& error) {
    std::cerr << "trust: " << error.what() << "\n" << kUsage;
    return 2;
  }
}
