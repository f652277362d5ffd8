#include <filesystem>

#include <gtest/gtest.h>

#include "adassl/parts/resolve.h"

/// Whatever the repository offers to start from is a correct configuration, also where its data is
/// absent.
namespace adassl::parts {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ADASSL_SOURCE_DIR;

struct Overrides {
  std::vector<std::string> set;
  void visit(Fields& field) { field("set", set, "key=value"); }
};

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// The overrides that the entries of a section add: those of each budget or variant, or none.
std::vector<std::vector<std::string>> choices(Config& study, const std::string& section) {
  std::vector<std::vector<std::string>> out;
  for (const std::string& name : study.names_below(section)) {
    out.push_back(study.read<Overrides>(section + "." + name).set);
  }
  if (out.empty()) out.emplace_back();
  return out;
}

TEST(EveryConfiguration, IsCorrectWithoutItsData) {
  int count = 0;
  for (const auto& item : fs::directory_iterator(kRoot / "configs")) {
    Config config = read_run_config(item.path(), {});
    EXPECT_NO_THROW(resolve(config, built_in())) << item.path();
    ++count;
  }
  EXPECT_GE(count, 44);
}

TEST(EveryStudy, HasCorrectRowsInEveryBudgetAndVariant) {
  int count = 0;
  for (const auto& item : fs::directory_iterator(kRoot / "studies")) {
    Config study = Config::from_file(item.path());
    const auto all = study.read<Overrides>("").set;
    const auto budgets = choices(study, "budgets"), variants = choices(study, "variants");
    for (int64_t row = 0; row < study.count("rows"); ++row) {
      const std::string section = "rows." + std::to_string(row);
      const std::string config = study.read_text(section + ".config", "", "");
      const auto own = study.read<Overrides>(section).set;
      for (const auto& budget : budgets) {
        for (const auto& variant : variants) {
          try {
            const auto overrides = joined(joined(all, budget), joined(variant, own));
            Config run = read_run_config(kRoot / "studies" / config, overrides);
            resolve(run, built_in());
          } catch (const Error& error) {
            ADD_FAILURE() << item.path() << ", row " << row << ": " << error.what();
          }
          ++count;
        }
      }
    }
  }
  EXPECT_GE(count, 200);
}

}  // namespace
}  // namespace adassl::parts
