#include "adassl/study/study.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/parts/resolve.h"
#include "adassl/parts/run.h"
#include "adassl/study/run.h"
#include "support/error_message.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"

namespace adassl::study {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

const fs::path kStudies = fs::path(ADASSL_SOURCE_DIR) / "studies";

TEST(EveryStudy, ReadsAndPlansEveryBudgetFromConfigurationsThatExist) {
  int count = 0;
  const TemporaryDirectory digits;
  testing::write_small_mnist(digits.path());
  for (const auto& item : fs::directory_iterator(kStudies)) {
    const Study study = read_study(item.path());
    EXPECT_EQ(study.name, item.path().stem());
    ASSERT_TRUE(study.budgets.contains("quick")) << study.name;
    const bool trains = study.budgets.at("quick").steps > 0;
    // "full" is the protocol of the paper; a study of other data has none.
    EXPECT_TRUE(study.budgets.contains("full") == trains || study.reference.empty()) << study.name;
    EXPECT_EQ(study.paper_steps > 0, trains && !study.reference.empty()) << study.name;
    for (const auto& [budget, cost] : study.budgets) {
      const auto runs = plan(study, budget, seeds_of(study, budget, ""), "runs");
      EXPECT_EQ(runs.size(), study.rows.size() * std::max<size_t>(1, study.variants.size()) *
                                 static_cast<size_t>(cost.seeds));
      if (budget != "quick") continue;
      for (const auto& run : runs) {
        Config config = requested_config(run);
        if (config.read_text("data.kind", "numerical", "which source") == "files") {
          EXPECT_NO_THROW(parts::resolve(config, parts::built_in())) << run.label;
          continue;  // the files have to be fetched
        }
        for (const auto& assignment : testing::cheap_data(run.config, digits.path())) {
          config.override_with(assignment);
        }
        EXPECT_NO_THROW(build_experiment(config)) << run.label;
      }
    }
    for (const auto& row : study.rows) {
      for (const auto& [metric, numbers] : row.paper) {
        const auto named = [&, m = metric](const auto& column) { return column.metric == m; };
        EXPECT_TRUE(std::any_of(study.columns.begin(), study.columns.end(), named)) << metric;
      }
    }
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(Experiment, AsksWhatFitsTheData) {
  const TemporaryDirectory digits;
  testing::write_small_mnist(digits.path());
  const auto suites_of = [&](const std::string& text) {
    return build_experiment(Config::from_text(text, "test")).evaluate.suites;
  };
  const std::string video =
      "method = 'byol'\n[encoder]\nkind = 'video_cnn'\n[objective]\n"
      "kind = 'distillation'\n[data]\nkind = 'moving_mnist'\n"
      "validation = 10\nfolder = '" +
      digits.path().string() + "'\n";
  EXPECT_THAT(suites_of(video),
              ::testing::ElementsAre("probes", "change", "retrieval", "futures", "utilisation"));
  EXPECT_THAT(suites_of(video + "[evaluate]\nsuites = ['probes']\n"),
              ::testing::ElementsAre("probes"));
  EXPECT_THAT(suites_of(video + "[evaluate]\nsuites = []\n"), ::testing::IsEmpty());
  EXPECT_THAT(suites_of("[data]\nmixing_candidates = 10\n"),
              ::testing::ElementsAre("regression", "utilisation", "geometry", "density"));
}

TEST(Study, KeepsTheSchedulesOfTheFullBudgetUnlessOneSaysOtherwise) {
  Study study;
  study.rows.emplace_back().name = "a";
  study.budgets["full"] = {.steps = 75000};
  study.budgets["short"] = {.steps = 2000};
  study.budgets["shrunk"] = {.steps = 2000, .horizon = 2000};
  const auto overrides = [&](const std::string& budget) {
    return plan(study, budget, {1, 1}, "runs").at(0).overrides;
  };
  EXPECT_THAT(overrides("short"), ::testing::Contains("train.horizon=75000"));
  EXPECT_THAT(overrides("shrunk"),
              ::testing::Each(::testing::Not(::testing::HasSubstr("horizon"))));
  EXPECT_THAT(overrides("full"), ::testing::Each(::testing::Not(::testing::HasSubstr("horizon"))));
}

TEST(Study, ScalesWarmupsWithTheHorizonWhereABudgetSaysSo) {
  const TemporaryDirectory folder;
  testing::put(folder / "v.toml", "latent.warmup_steps = 1000\noptimizer.warmup_steps = 40\n");
  testing::put(folder / "none.toml", "optimizer.warmup_steps = 0\n");
  testing::put(folder / "s.toml",
               "name = 's'\n[budgets]\nfull = {steps = 20000}\n"
               "quick = {steps = 100, horizon = 100, warmups = 'scaled'}\n"
               "first = {steps = 100, warmups = 'scaled'}\nkept = {steps = 100, horizon = 100}\n"
               "[[columns]]\nmetric = 'm'\n[[rows]]\nname = 'v'\nconfig = 'v.toml'\n"
               "[[rows]]\nname = 'own'\nconfig = 'v.toml'\nset = ['latent.warmup_steps=400']\n"
               "[[rows]]\nname = 'none'\nconfig = 'none.toml'\n");
  const Study study = read_study(folder / "s.toml");
  const auto overrides = [&](const std::string& budget, size_t row) {
    return plan(study, budget, {1, 1}, "runs").at(row).overrides;
  };
  const auto warm_up = ::testing::HasSubstr("warmup_steps");
  EXPECT_THAT(overrides("quick", 0),
              ::testing::IsSupersetOf({"latent.warmup_steps=5", "optimizer.warmup_steps=1"}));
  EXPECT_EQ(overrides("quick", 1).at(3), "latent.warmup_steps=2");  // after the row's own
  EXPECT_THAT(overrides("quick", 2), ::testing::Each(::testing::Not(warm_up)));
  for (const char* same : {"full", "first", "kept"}) {
    EXPECT_THAT(overrides(same, 0), ::testing::Each(::testing::Not(warm_up))) << same;
  }
  testing::put(folder / "t.toml",
               "name = 't'\nbudgets.quick = {steps = 100, warmups = 'scaled'}\n[[columns]]\n"
               "metric = 'm'\n[[rows]]\nname = 'v'\nconfig = 'v.toml'\n");
  EXPECT_THAT(testing::error_of([&] { read_study(folder / "t.toml"); }),
              ::testing::HasSubstr("budgets.quick.warmups: expected a budget 'full' with steps"));
}

/// A warm-up that is longer than the training never reaches the value that it warms up to.
TEST(EveryStudy, EndsItsWarmupsWithinTheFirstHalfOfTheTraining) {
  struct WarmUp {
    int64_t warmup_steps = 0;
    void visit(Fields& field) { field("warmup_steps", warmup_steps, "", {0, 1e9}); }
  };
  for (const auto& item : fs::directory_iterator(kStudies)) {
    const Study study = read_study(item.path());
    for (const auto& [budget, cost] : study.budgets) {
      for (const auto& run : plan(study, budget, {1, 1}, "runs")) {
        Config config = requested_config(run);
        const auto settings = parts::resolve(config, parts::built_in());
        if (settings.loop.steps == 0) continue;
        Config resolved = Config::from_text(config.resolved(), run.label);
        for (const char* section : {"latent", "optimizer"}) {
          EXPECT_LE(2 * resolved.read<WarmUp>(section).warmup_steps, settings.loop.horizon)
              << study.name << ", " << budget << ", " << run.row << ", " << section;
        }
      }
    }
  }
}

TEST(Experiment, ResolvesTheHorizonAndRefusesOneThatEndsTooSoon) {
  const auto horizon_with = [](const std::string& train) {
    const std::string text = "[data]\nmixing_candidates = 10\n[train]\nsteps = 20\n" + train;
    return build_experiment(Config::from_text(text, "test"));
  };
  EXPECT_THAT(horizon_with("").resolved, ::testing::HasSubstr("horizon = 20\n"));
  EXPECT_EQ(horizon_with("horizon = 50").loop.horizon, 50);
  EXPECT_THAT(testing::error_of([&] { horizon_with("horizon = 10"); }),
              ::testing::HasSubstr("train.horizon: expected at least train.steps = 20, got 10"));
}

TEST(Study, RefusesClaimsAboutRowsAndColumnsThatAreNotThere) {
  const TemporaryDirectory folder;
  const auto message_of = [&](const std::string& claim) {
    const fs::path path = folder.path() / "study.toml";
    std::ofstream(path) << "name = 's'\nbudgets.quick.steps = 1\n[[columns]]\nmetric = 'm'\n"
                           "[[rows]]\nname = 'one'\nconfig = 'c.toml'\n[[claims]]\nsays = 'so'\n"
                        << claim;
    return testing::error_of([&] { read_study(path); });
  };
  EXPECT_THAT(message_of("metric = 'n'\nabove = ['one']\nbelow = ['one']"),
              ::testing::HasSubstr("claims.0.metric: expected a metric of the columns m, got 'n'"));
  EXPECT_THAT(message_of("metric = 'm'\nabove = ['ones']\nbelow = ['one']"),
              ::testing::HasSubstr("claims.0.above: expected one of the rows one, got 'ones'"));
  EXPECT_THAT(message_of("metric = 'm'\nabove = ['one']"),
              ::testing::HasSubstr("claims.0.below: expected names of rows, got none"));
}

TEST(Study, HoldsThePapersTableTwo) {
  const Study study = read_study(kStudies / "numerical-complex.toml");
  ASSERT_EQ(study.rows.size(), 6U);
  EXPECT_EQ(study.rows[5].label, "AdaSSL-S");
  EXPECT_EQ(study.rows[5].paper.at("r2_pz"), (std::vector<double>{0.9187, 0.0174}));
  EXPECT_EQ(study.budgets.at("full").steps, 200'000);
}

TEST(Study, RunsTheRowsThatAreAskedFor) {
  const Study study = read_study(kStudies / "numerical-complex.toml");
  const auto runs = plan(study, "standard", {1, 2}, "out");
  EXPECT_EQ(only_rows(study, runs, {}).size(), runs.size());
  const auto some = only_rows(study, runs, {"adassl-v", "infonce"});
  EXPECT_EQ(some.size(), 4U);
  EXPECT_EQ(some[0].row, "infonce");  // in the study's order
  EXPECT_THROW(only_rows(study, runs, {"adassl-x"}), Error);
}

TEST(Study, RunsTheTrialsThatAreAskedFor) {
  Study study = read_study(kStudies / "numerical-complex.toml");
  study.first_seed = 2;
  const auto seeds = [&](const std::string& asked) {
    const Seeds out = seeds_of(study, "full", asked);
    return std::pair(out.first, out.last);
  };
  EXPECT_EQ(seeds(""), std::pair(2L, 1 + study.budgets.at("full").seeds));
  EXPECT_EQ(seeds("3"), std::pair(2L, 4L));
  EXPECT_EQ(seeds("3-4"), std::pair(3L, 4L));
  EXPECT_EQ(seeds("4-4"), std::pair(4L, 4L));
  EXPECT_EQ(plan(study, "full", seeds_of(study, "full", "3-4"), "out").size(), 12U);
  for (const char* wrong : {"0", "1001", "1-3", "4-3", "2-1002", "3-", "-3", "-", "a", "3-4-5",
                            "3 - 4", "99999999999999999999"}) {
    EXPECT_EQ(testing::error_of([&] { seeds(wrong); }),
              join("[--seeds] expected how many trials (1 to 1000) or a range of seeds within "
                   "2-1001, got '",
                   wrong, "'"));
  }
}

TEST(Study, GivesVariantsFoldersAndOverridesOfTheirOwn) {
  const Study study = read_study(kStudies / "numerical-unimodal.toml");
  const auto runs = plan(study, "full", {1, 2}, "out");
  EXPECT_EQ(runs.size(), 44U);  // 11 rows, 2 spaces, 2 seeds
  EXPECT_EQ(runs[2].directory,
            fs::path("out/numerical-unimodal/full/zero-infonce-unbounded/seed-1"));
  EXPECT_THAT(runs[3].overrides, ::testing::Contains("model.space=hypersphere"));
  EXPECT_THAT(runs[3].overrides, ::testing::Contains("objective.tau=0.1"));
  EXPECT_EQ(study.rows[1].paper.at("hypersphere.r2_ood"), (std::vector<double>{0.2683, 0.2626}));
}

TEST(Study, OverridesForAllRowsThenForABudgetThenForOneRow) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "study.toml")
      << "name = 'x'\nset = ['train.batch=8', 'seed=3']\n[budgets]\nquick = {steps = 1, set "
         "= ['train.batch=12']}\n[[columns]]\nmetric = 'm'\n[[rows]]\nname = 'a'\nconfig = "
         "'c.toml'\n[[rows]]\n"
         "name = 'b'\nconfig = 'c.toml'\nset = ['train.batch=16']\n";
  const auto runs = plan(read_study(folder.path() / "study.toml"), "quick", {1, 1}, "out");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_THAT(runs[0].overrides, ::testing::ElementsAre("train.batch=8", "seed=3", "train.batch=12",
                                                        "train.steps=1", "seed=1"));
  EXPECT_THAT(runs[1].overrides,
              ::testing::ElementsAre("train.batch=8", "seed=3", "train.batch=12", "train.steps=1",
                                     "train.batch=16", "seed=1"));
}

TEST(Study, LetsARowHaveItsOwnNumberOfSteps) {
  const Study study = read_study(kStudies / "emoji.toml");
  const auto runs = plan(study, "quick", {1, 1}, "out");
  EXPECT_EQ(runs[0].row, "untrained");
  const auto steps = [&](size_t run) {
    return requested_config(runs[run]).read<parts::LoopOptions>("train").steps;
  };
  EXPECT_EQ(steps(0), 0);
  EXPECT_EQ(steps(1), study.budgets.at("quick").steps);
}

TEST(Study, CallsThingsByTheirNamesWhereItGivesNoLabels) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "study.toml")
      << "name = 'x'\n[budgets]\nquick = {steps = 1}\n[[columns]]\nmetric = 'm'\n[[columns]]\n"
         "metric = 'n'\nlabel = 'N'\n[[rows]]\nname = 'a'\nconfig = 'c.toml'\n";
  const Study study = read_study(folder.path() / "study.toml");
  EXPECT_EQ(study.title, "x");
  EXPECT_EQ(study.columns[0].label, "m");
  EXPECT_EQ(study.columns[1].label, "N");
  EXPECT_EQ(study.rows[0].label, "a");
}

TEST(Study, NamesTheBudgetsThereAre) {
  const Study study = read_study(kStudies / "numerical-complex.toml");
  EXPECT_EQ(
      testing::error_of([&] {
        plan(study, "quik", {1, 1}, "out");
      }),
      "[numerical-complex] expected the budget full, quick, standard, got 'quik'; did you mean "
      "'quick'?");
}

TEST(Study, RefusesMistakesInItsFile) {
  const TemporaryDirectory folder;
  const auto message = [&](const std::string& text) {
    const fs::path path = folder.path() / "study.toml";
    std::ofstream(path) << text;
    return testing::error_of([&] { read_study(path); });
  };
  const std::string good =
      "name = 'x'\n[budgets]\nquick = {steps = 1}\n[[columns]]\nmetric = 'm'\n[[rows]]\nname = "
      "'a'\n"
      "config = 'c.toml'\n";
  EXPECT_EQ(message(good), "(no error)");
  EXPECT_THAT(message(good + "colour = 'red'\n"),
              ::testing::HasSubstr("unknown key 'rows.0.colour'"));
  EXPECT_EQ(message(good + "[rows.paper]\nm = [1.0]\n"), "(no error)");  // of a single run
  EXPECT_THAT(message(good + "[rows.paper]\nm = [1.0, 2.0, 3.0]\n"),
              ::testing::HasSubstr("expected [mean, standard deviation] or [mean], got 3 numbers"));
  EXPECT_THAT(message(good + "[[rows]]\nname = 'a'\nconfig = 'c.toml'\n"),
              ::testing::HasSubstr("got two rows 'a'"));
  EXPECT_THAT(message("name = 'x'\n"), ::testing::HasSubstr("expected at least one budget"));
}

TEST(Study, RefusesScattersOfWhatIsNoColumn) {
  const TemporaryDirectory folder;
  const auto message = [&](const std::string& scatter) {
    const fs::path path = folder.path() / "study.toml";
    std::ofstream(path) << "name = 'x'\n[budgets]\nquick = {steps = 1}\n"
                           "[[columns]]\nmetric = 'accuracy'\n[[columns]]\nmetric = 'r2'\n"
                           "[[rows]]\nname = 'a'\nconfig = 'c.toml'\n[[scatters]]\n"
                        << scatter;
    return testing::error_of([&] { read_study(path); });
  };
  EXPECT_EQ(message("x = 'accuracy'\ny = 'r2'\n"), "(no error)");
  EXPECT_THAT(message("x = 'acuracy'\ny = 'r2'\n"),
              ::testing::HasSubstr("] scatters.0.x: expected a metric of the columns accuracy, r2, "
                                   "got 'acuracy'; did you mean 'accuracy'?"));
  EXPECT_THAT(message("x = 'accuracy'\n"), ::testing::HasSubstr("scatters.0.y: expected"));
  EXPECT_THAT(message("x = 'r2'\ny = 'r2'\n"),
              ::testing::HasSubstr("expected two different metrics, got 'r2' twice"));
  EXPECT_THAT(message("x = 'accuracy'\ny = 'r2'\nz = 'kl'\n"),
              ::testing::HasSubstr("unknown key 'scatters.0.z'"));
}

}  // namespace
}  // namespace adassl::study
