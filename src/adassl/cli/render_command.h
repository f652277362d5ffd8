#pragma once

#include <CLI/CLI.hpp>

namespace adassl::cli {

/// Adds `render` to the command `data`.
void add_render(CLI::App& data_command);

}  // namespace adassl::cli
