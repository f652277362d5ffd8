#pragma once

#include <ostream>
#include <string>

namespace adassl::training {

/// Shows progress. On a terminal it overwrites a single line, which is never longer than the
/// terminal is wide, because a wrapped line cannot be overwritten. Elsewhere each call writes a new
/// line.
class StatusLine {
 public:
  /// `file` is the descriptor behind `out`.
  StatusLine(std::ostream& out, int file);
  bool on_terminal() const { return on_terminal_; }
  void show(const std::string& line);
  /// Ends the current line, which stays visible, so that other output can follow.
  void close();

 private:
  std::ostream& out_;
  int file_;
  bool on_terminal_;
  bool open_ = false;
};

}  // namespace adassl::training
