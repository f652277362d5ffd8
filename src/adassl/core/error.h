#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace adassl {

/// What a user can mend: a bad option, a damaged file, an impossible request. `main` prints its one
/// line and exits with code 2. Everything else that is thrown is our own fault and exits with 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
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

/// ADASSL_CHECK(n > 0, "[where] expected a positive count, got ", n)
#define ADASSL_CHECK(condition, ...)                                      \
  do {                                                                    \
    if (!(condition)) throw ::adassl::Error(::adassl::join(__VA_ARGS__)); \
  } while (false)
