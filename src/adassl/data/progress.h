#pragma once

#include "adassl/data/samples/samples.h"

namespace adassl::data {

/// Shows long work as a line on the terminal; silent if stderr is none.
Progress terminal_progress();

}  // namespace adassl::data
