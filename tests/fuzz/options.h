#pragma once

#include <string>
#include <vector>

#include "adassl/core/config.h"

namespace adassl::fuzz {

/// One option of each kind.
struct Options {
  bool flag = false;
  int64_t steps = 3;
  double rate = 0.5;
  std::string mode = "plain";
  std::string note;
  std::vector<int64_t> sizes = {1};
  std::vector<double> rates;
  std::vector<std::string> names;

  void visit(Fields& field) {
    field("flag", flag, "a flag");
    field("steps", steps, "a count", {-9e15, 9e15});
    field("rate", rate, "a number", {-1e300, 1e300});
    field("mode", mode, "one of some words", {"plain", "fancy"});
    field("note", note, "free text");
    field("sizes", sizes, "counts", {0, 1e6});
    field("rates", rates, "numbers", {-1e300, 1e300});
    field("names", names, "free texts");
  }
};

/// Reads all options at the top and in two sections.
inline void read_all(Config& config) {
  for (const char* section : {"", "train", "train.inner"}) config.read<Options>(section);
}

}  // namespace adassl::fuzz
