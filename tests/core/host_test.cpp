#include "adassl/core/host.h"

#include <gtest/gtest.h>

namespace adassl::host {
namespace {

TEST(OneDnn, IsLimitedWhereTilesAreAnnouncedButNotDescribed) {
  EXPECT_EQ(onednn_cap({"avx2", "amx_tile", "amx_bf16"}, 0), "AVX512_CORE_BF16");
  EXPECT_EQ(onednn_cap({"avx2", "amx_tile", "amx_bf16"}, 1), "");
  EXPECT_EQ(onednn_cap({"avx2", "avx512_bf16"}, 0), "");
  EXPECT_EQ(onednn_cap({}, 0), "");
}

}  // namespace
}  // namespace adassl::host
