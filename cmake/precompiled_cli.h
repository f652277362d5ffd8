#pragma once

// What most commands include, parsed once. Each file still includes what it uses.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/nn/torch.h"
