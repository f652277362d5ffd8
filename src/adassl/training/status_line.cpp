#include "adassl/training/status_line.h"

#include <unistd.h>

#include "adassl/core/host.h"
#include "adassl/core/text_width.h"

namespace adassl::training {

StatusLine::StatusLine(std::ostream& out, int file)
    : out_(out), file_(file), on_terminal_(isatty(file) == 1) {}

void StatusLine::show(const std::string& line) {
  if (!on_terminal_) {
    out_ << line << std::endl;
    return;
  }
  const int64_t columns = host::terminal_columns(file_);  // the terminal may have been resized
  out_ << "\r\x1b[K" << (columns > 0 ? text::shortened(line, columns) : line) << std::flush;
  open_ = true;
}

void StatusLine::close() {
  if (open_) out_ << std::endl;
  open_ = false;
}

}  // namespace adassl::training
