#pragma once

// What most tests with LibTorch include, parsed once. Each file still includes what it uses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/nn/torch.h"
