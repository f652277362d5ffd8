#include "adassl/study/study.h"

#include "fuzz/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  fuzz::accepted([&] {
    const study::Study study = study::read_study(path);
    fuzz::require(!study.rows.empty() && !study.budgets.empty(), "a study has rows and budgets");
    for (const auto& [name, budget] : study.budgets) {
      const study::Seeds seeds = study::seeds_of(study, name, "1");
      const auto runs = study::plan(study, name, seeds, "runs");
      fuzz::require(runs.size() == study.rows.size() * std::max<size_t>(1, study.variants.size()),
                    "a plan has one run for each row, variant and seed");
      study::only_rows(study, runs, {study.rows.front().name});
    }
    fuzz::accepted([&] { study::seeds_of(study, "no such budget", ""); });
  });
  return 0;
}
