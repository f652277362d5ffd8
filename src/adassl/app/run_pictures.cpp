#include "adassl/app/run_pictures.h"

#include <set>

#include "adassl/core/config.h"
#include "adassl/core/error.h"
#include "adassl/data/fetched.h"
#include "adassl/data/samples/samples.h"
#include "adassl/report/sample_rows.h"

namespace adassl::app {

report::Pictures pictures_of_run(const storage::RunDirectory& run,
                                 const std::vector<std::string>& names) {
  report::Pictures out;
  if (names.empty()) return out;
  try {
    Config config = Config::from_file(run.config());
    const auto set = make_part(data::sample_kinds(), config, "samples", "arrays",
                               data::Progress([](int64_t, int64_t, const std::string&) {}));
    const auto view = make_part(data::views(), config, "views", "plain");
    const auto plain = data::plain_view_like(*set, *view, config.read<data::SeenOptions>("data"));
    std::set<std::string> wanted(names.begin(), names.end());
    for (const data::Rejected& one : set->rejected()) wanted.erase(one.name);
    std::vector<int64_t> found;
    for (int64_t i = 0; i < set->count(); ++i) {
      if (wanted.contains(set->name(i))) found.push_back(i);
    }
    const Array seen = data::see_plainly(*set, *plain, found);
    for (size_t i = 0; i < found.size(); ++i) {
      storage::Image image = report::picture_of(seen, static_cast<int64_t>(i));
      if (image.width > 0) out.emplace(set->name(found[i]), std::move(image));
    }
  } catch (const Error&) {
    // The files have moved since the run: the page shows their names.
  }
  return out;
}

}  // namespace adassl::app
