#include "adassl/parts/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"

namespace adassl::parts {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

Config resolved(const std::string& text) {
  Config config = Config::from_text(text, "test");
  resolve(config, built_in());
  return config;
}

std::string mistake_in(const std::string& text) {
  return error_of([&] { resolved(text); });
}

TEST(Resolve, WritesEveryDefaultOfThePartsThatAreNamed) {
  const std::string text = resolved("method = 'adassl-s'").resolved();
  EXPECT_THAT(text, HasSubstr("[latent]\nkind = \"sparse\"\ndim = 5\n"));
  EXPECT_THAT(text, HasSubstr("[editor]\nkind = \"modular\"\n"));
  EXPECT_THAT(text, HasSubstr("[similarity]\nkind = \"isotropic\"\nlearned = true\n"));
  EXPECT_THAT(text, HasSubstr("suites = [\"auto\"]"));
}

TEST(Resolve, IsItsOwnResolution) {
  for (const auto& method : methods()) {
    const std::string once = resolved("method = '" + std::string(method.name) + "'").resolved();
    EXPECT_EQ(resolved(once).resolved(), once) << method.name;
  }
}

TEST(Resolve, NeedsNoData) {
  const std::string text =
      resolved("[data]\nkind = 'moving_mnist'\nfolder = '/nowhere'\n").resolved();
  EXPECT_THAT(text, HasSubstr("folder = \"/nowhere\""));
}

TEST(Resolve, ReadsThePartsOfParts) {
  EXPECT_THAT(mistake_in("method = 'byol'\n[similarity]\nlearned = false\n"),
              HasSubstr("unknown key 'similarity.learned': no chosen part reads it"));
  EXPECT_EQ(mistake_in("method = 'infonce'\n[similarity]\nlearned = false\n"), "(no error)");
}

TEST(Resolve, KnowsTheNamesOfDevices) {
  for (const char* device : {"cpu", "cuda", "cuda:0", "cuda:12"}) {
    EXPECT_EQ(mistake_in(join("compute.device = '", device, "'")), "(no error)");
  }
  for (const char* device : {"gpu", "cuda:", "cuda:x", "cuda:0 ", "cuda:1234", ""}) {
    EXPECT_EQ(mistake_in(join("compute.device = '", device, "'")),
              join("[compute] device: expected cpu, cuda or cuda:N, got '", device, "'"));
  }
}

TEST(Resolve, ReadsThePartsOfAUsersOwnData) {
  const std::string text =
      "[data]\nkind = 'files'\n[samples]\nkind = 'images'\npath = '/nowhere'\n"
      "[pairing]\nkind = 'group'\nby = 'folder'\n[views]\nkind = 'weak'\n";
  const std::string once = resolved(text).resolved();
  EXPECT_THAT(once, HasSubstr("[pairing]\nkind = \"group\"\nby = \"folder\"\n"));
  EXPECT_EQ(resolved(once).resolved(), once);
  EXPECT_THAT(mistake_in(text + "gap = '1'\n"), HasSubstr("unknown key 'views.gap'"));
  EXPECT_THAT(mistake_in("[pairing]\nkind = 'group'\n"), HasSubstr("pairing.kind"));
}

TEST(Resolve, FindsContradictions) {
  EXPECT_EQ(mistake_in("method = 'infonce'\n[latent]\nkind = 'sparse'\n"),
            "[test] method infonce: expected latent.kind = \"none\", got \"sparse\"; use method = "
            "\"custom\" to mix parts");
  EXPECT_EQ(mistake_in("[train]\nsteps = 10\nhorizon = 5\n"),
            "[test] train.horizon: expected at least train.steps = 10, got 5");
  EXPECT_THAT(mistake_in("[compute]\nkernels = 'reference'\nprecision = 'bf16'\n"),
              HasSubstr("expected kernels = \"fused\""));
}

TEST(Resolve, KnowsTheEvaluations) {
  EXPECT_THAT(mistake_in("[evaluate]\nsuites = ['regresion']\n"),
              HasSubstr("did you mean 'regression'?"));
  EXPECT_THAT(mistake_in("[evaluate]\nwatch = 'probe'\n"), HasSubstr("did you mean 'probes'?"));
  EXPECT_EQ(mistake_in("[evaluate]\nsuites = []\n"), "(no error)");
}

TEST(Resolve, SaysWhatTheRunIs) {
  Config config = Config::from_text("method = 'byol'\nseed = 7\n[train]\nsteps = 9\n", "test");
  const Settings settings = resolve(config, built_in());
  EXPECT_EQ(settings.method_name, "byol");
  EXPECT_EQ(settings.seed, 7U);
  EXPECT_EQ(settings.loop.horizon, 9);
  EXPECT_THAT(settings.evaluate.suites, ElementsAre("auto"));
}

}  // namespace
}  // namespace adassl::parts
