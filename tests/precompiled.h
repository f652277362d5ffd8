#pragma once

// What most tests without LibTorch include, parsed once. Each file still includes what it uses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../cmake/precompiled.h"
