#include <nlohmann/json.hpp>

#include "adassl/report/table.h"

namespace adassl::report {

nlohmann::json to_json(const Table& table) {
  using nlohmann::json;
  json rows = json::array();
  for (const Row& row : table.rows) {
    json cells = json::object();
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      json out = {{"mean", cell.mean}, {"std", cell.std}, {"seeds", cell.seeds}};
      if (cell.paper_mean) out["paper_mean"] = *cell.paper_mean;
      if (cell.paper_std) out["paper_std"] = *cell.paper_std;
      if (cell.deviations) out["deviations"] = *cell.deviations;
      cells[table.columns[i].metric] = out;
    }
    rows.push_back(
        {{"name", row.name}, {"label", row.label}, {"step", row.step}, {"cells", cells}});
  }
  return {{"title", table.title}, {"budget", table.budget}, {"steps", table.steps}, {"rows", rows}};
}

}  // namespace adassl::report
