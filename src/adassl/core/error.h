#pragma once

#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <string>

namespace adassl {

/// The text with its control characters replaced: messages quote names and values from outside, and
/// these must neither break the line nor move the cursor of a terminal.
inline std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

/// An error that the user can fix: a bad option, a damaged file, an impossible request. `main`
/// prints it on one line and exits with code 2. Other exceptions exit with code 1.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(one_line(message)) {}
};

/// The operating system refused to read or write: the disk is full or broken, or the path is wrong.
/// Only the last is a user's mistake; `main` exits with code 1 for the others.
class SystemError : public Error {
 public:
  SystemError(const std::string& message, int code) : Error(message), code_(code) {}
  bool disk_is_full() const { return code_ == ENOSPC || code_ == EDQUOT; }
  bool path_is_wrong() const {
    return code_ == EROFS || code_ == EACCES || code_ == EPERM || code_ == ENOENT ||
           code_ == ENOTDIR || code_ == EISDIR || code_ == ENAMETOOLONG || code_ == ELOOP;
  }

 private:
  int code_;  // an errno
};

class ReadError : public SystemError {
 public:
  using SystemError::SystemError;
};

class WriteError : public SystemError {
 public:
  using SystemError::SystemError;
};

/// A run that failed although nobody made a mistake (a loss that is no longer finite): exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments as one text: join("got ", 3) is "got 3".
template <class... Parts>
std::string join(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace adassl

/// Throws an Error unless the condition holds:
///   ADASSL_CHECK(n > 0, "[where] expected a positive count, got ", n)
#define ADASSL_CHECK(condition, ...)                                      \
  do {                                                                    \
    if (!(condition)) throw ::adassl::Error(::adassl::join(__VA_ARGS__)); \
  } while (false)
