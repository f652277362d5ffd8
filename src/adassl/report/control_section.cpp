#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "adassl/report/html.h"
#include "adassl/report/numbers.h"
#include "adassl/report/sections.h"

namespace adassl::report {
namespace {

/// What sampling a group of dimensions of r changes.
struct Changed {
  std::string name;
  std::string dims;             // "r3, r7"
  std::vector<double> factors;  // [F] in standard deviations
};

std::vector<double> numbers_of(const Json& values, size_t count) {
  std::vector<double> out(count, 0);
  if (!values.is_array()) return out;
  for (size_t i = 0; i < std::min(count, values.size()); ++i) {
    const double value = values[i].is_number() ? values[i].get<double>() : 0;
    out[i] = std::isfinite(value) ? std::max(value, 0.0) : 0;
  }
  return out;
}

std::string dims_of(const Json& group) {
  std::string out;
  for (const Json& dim : child_of(group, "dims")) {
    if (!dim.is_number_integer()) continue;
    out += fmt::format("{}r{}", out.empty() ? "" : ", ", dim.get<int64_t>() + 1);
  }
  return out;
}

std::vector<Changed> changed_of(const Record& record, size_t factors) {
  constexpr size_t kMost = 256;
  std::vector<Changed> out;
  for (const Json& group : child_of(record.rest, "groups")) {
    if (!group.is_object() || out.size() == kMost) continue;
    out.push_back(
        {text_of(group, "name"), dims_of(group), numbers_of(child_of(group, "changes"), factors)});
  }
  out.push_back({"all of r", "", numbers_of(child_of(record.rest, "free"), factors)});
  return out;
}

/// A cell whose shade is the share of this factor in what the row changes.
std::string cell(double value, double all) {
  const double share = all > 0 ? value / all : 0;
  return fmt::format(
      R"_(<td style="background:color-mix(in srgb, var(--c0) {:.0f}%, transparent)">{}</td>)_",
      90 * share, typeset(fmt::format("{:.2f}", value)));
}

std::string table_of(const std::vector<std::string>& factors, const std::vector<Changed>& rows) {
  std::string head = "<th>sampled</th>";
  for (const std::string& factor : factors) head += "<th>" + escaped(factor) + "</th>";
  std::string body;
  for (const Changed& row : rows) {
    double all = 0;
    for (const double value : row.factors) all += value;
    body += fmt::format("<tr><th>{}<small> {}</small></th>", escaped(row.name), escaped(row.dims));
    for (const double value : row.factors) body += cell(value, all);
    body += "</tr>\n";
  }
  return fmt::format(
      R"(<div class="scroll"><table class="plain"><thead><tr>{}</tr></thead><tbody>{}</tbody>)"
      "</table></div>\n",
      head, body);
}

}  // namespace

std::string control_section(const Table& table, const Records& records) {
  std::map<std::string, const Record*> first_seed;
  for (const Record* record : latest_of(records, records::kControl)) {
    first_seed.try_emplace(row_of(*record), record);
  }
  std::string body;
  for (const Row& row : table.rows) {
    const auto found = first_seed.find(row.name);
    if (found == first_seed.end()) continue;
    std::vector<std::string> factors;
    for (const Json& name : child_of(found->second->rest, "factors")) {
      factors.push_back(name.is_string() ? name.get<std::string>() : "");
    }
    if (factors.empty()) continue;
    body += fmt::format("<h3>{}, seed {}</h3>\n{}", escaped(row.label), seed_of(*found->second),
                        table_of(factors, changed_of(*found->second, factors.size())));
  }
  if (body.empty()) return "";
  return section("What can be controlled by r",
                 "Dimensions of r are grouped by what sampling them does to predictions, and named "
                 "after the factor that they change most, of those that can be read from "
                 "embeddings. Each row tells how far the factors of "
                 "the retrieved sample move, in standard deviations, if this group alone is "
                 "sampled; the shade is a factor's share in the row.",
                 body);
}

}  // namespace adassl::report
