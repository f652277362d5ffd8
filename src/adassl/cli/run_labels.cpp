#include "adassl/cli/run_labels.h"

namespace adassl::cli {

std::string run_label(const std::string& method, const storage::RunDirectory& run,
                      const std::string& path, std::set<std::string>& taken) {
  for (const std::string& label : {method, run.name()}) {
    if (taken.insert(label).second) return label;
  }
  taken.insert(path);
  return path;
}

}  // namespace adassl::cli
