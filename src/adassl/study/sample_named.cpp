#include "adassl/study/sample_named.h"

#include "adassl/core/error.h"

namespace adassl::study {

int64_t sample_named(const data::SampleSet& samples, const std::vector<data::Unusable>& unusable,
                     const std::string& name, const std::string& where) {
  for (int64_t i = 0; i < samples.count(); ++i) {
    const std::string known = samples.name(i);
    if (known != name && known != "row " + name) continue;
    for (const data::Unusable& one : unusable) {
      ADASSL_CHECK(one.name != known, "[", where, "] expected a usable sample, got '", known,
                   "': ", one.reason);
    }
    return i;
  }
  throw Error(join("[", where, "] expected the name of one of the ", samples.count(),
                   " samples, such as '", samples.name(0), "', got '", name, "'"));
}

}  // namespace adassl::study
