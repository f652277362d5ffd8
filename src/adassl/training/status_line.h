#pragma once

#include <ostream>
#include <string>

namespace adassl::training {

/// Progress: on a terminal one line that is written over and never longer than the terminal is
/// wide, since a line that wraps cannot be written over; elsewhere a line each.
class StatusLine {
 public:
  /// `file` is the descriptor behind `out`.
  StatusLine(std::ostream& out, int file);
  bool on_terminal() const { return on_terminal_; }
  void show(const std::string& line);
  /// So that others can write: what is shown stays.
  void close();

 private:
  std::ostream& out_;
  int file_;
  bool on_terminal_;
  bool open_ = false;
};

}  // namespace adassl::training
