#pragma once

#include <string>

#include <gtest/gtest.h>

#include "adassl/kernels/simd.h"

namespace adassl::kernels {

/// A test that runs once on each instruction set that the machine has.
class OnEachInstructionSet : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { use_instruction_set(GetParam()); }
  void TearDown() override { use_instruction_set(before_); }

 private:
  std::string before_ = instruction_set();
};

}  // namespace adassl::kernels

#define ADASSL_ON_EACH_INSTRUCTION_SET(Fixture)                                        \
  INSTANTIATE_TEST_SUITE_P(On, Fixture,                                                \
                           ::testing::ValuesIn(::adassl::kernels::instruction_sets()), \
                           [](const auto& of) { return of.param; })
