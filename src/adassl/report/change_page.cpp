#include "adassl/report/change_page.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "adassl/report/html.h"

namespace adassl::report {
namespace {

constexpr double kUsed = 0.01;  // a dimension that costs less carries nothing

/// The dimensions that carry something, from the one that stands out most.
std::vector<size_t> used_dimensions(const ChangePage& page) {
  std::vector<size_t> out;
  for (size_t k = 0; k < page.r.size(); ++k) {
    if (page.usual_cost[k] > kUsed || page.cost[k] > kUsed) out.push_back(k);
  }
  std::ranges::stable_sort(out, std::ranges::greater(),
                           [&](size_t k) { return std::abs(page.r[k]); });
  return out;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// A bar to the left or to the right of the middle; four deviations fill half of it.
std::string bar(double deviations) {
  const double length = 60 * std::min(std::abs(deviations) / 4, 1.0);
  const double left = deviations < 0 ? 60 - length : 60;
  return fmt::format(
      R"(<svg viewBox="0 0 120 14" width="240" height="28"><line class="axis" x1="60" x2="60" )"
      R"(y1="0" y2="14"/><rect x="{}" y="3" width="{}" height="8" rx="1" )"
      R"_(style="fill:var(--c{})"/></svg>)_",
      coordinate(left), coordinate(length), deviations < 0 ? 1 : 0);
}

/// What a group of dimensions costs.
struct GroupCost {
  const ChangePage::Group* group;
  double here = 0, usual = 0;
};

/// The group that costs most, compared with a usual pair, comes first.
std::vector<GroupCost> group_costs(const ChangePage& page) {
  std::vector<GroupCost> out;
  for (const ChangePage::Group& group : page.groups) {
    GroupCost one{&group};
    for (const int64_t dim : group.dims) {
      const auto k = static_cast<size_t>(dim);
      if (dim < 0 || k >= page.cost.size()) continue;
      one.here += page.cost[k];
      one.usual += page.usual_cost[k];
    }
    out.push_back(one);
  }
  std::ranges::stable_sort(out, std::ranges::greater(),
                           [](const GroupCost& one) { return one.here - one.usual; });
  return out;
}

std::string dims_text(const ChangePage::Group& group) {
  std::string out;
  for (const int64_t dim : group.dims) {
    out += fmt::format("{}r{}", out.empty() ? "" : ", ", dim + 1);
  }
  return out;
}

std::string groups_table(const ChangePage& page) {
  std::string rows;
  for (const GroupCost& one : group_costs(page)) {
    rows += fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        escaped(one.group->name), escaped(dims_text(*one.group)),
                        typeset(fmt::format("{:.3f}", one.here)),
                        typeset(fmt::format("{:.3f}", one.usual)));
  }
  return fmt::format(
      "<table><thead><tr><th>factor</th><th>dimensions</th><th>cost</th><th>usual cost</th></tr>"
      "</thead><tbody>{}</tbody></table>\n",
      rows);
}

/// The factors for which r pays more than usual.
std::string lead_of_groups(const ChangePage& page) {
  std::vector<std::string> named;
  for (const GroupCost& one : group_costs(page)) {
    if (one.here <= one.usual || named.size() == 3) break;
    named.push_back(fmt::format("{} ({:.2f} {} instead of {:.2f})", one.group->name, one.here,
                                page.unit, one.usual));
  }
  std::string out =
      fmt::format("From {} to {}, ", page.pairs[0].from.caption, page.pairs[0].to.caption);
  if (named.empty()) return out + "r pays no more than usual for any factor.";
  out += "r pays most for ";
  for (size_t i = 0; i < named.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == named.size() ? " and " : ", ") + named[i];
  }
  return out + ".";
}

std::string dimensions_table(const ChangePage& page) {
  std::string rows;
  for (size_t k = 0; k < page.r.size(); ++k) {
    rows += fmt::format("<tr><th>r{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        k + 1, bar(page.r[k]), typeset(fmt::format("{:+.2f}", page.r[k])),
                        typeset(fmt::format("{:.3f}", page.cost[k])),
                        typeset(fmt::format("{:.3f}", page.usual_cost[k])));
  }
  return fmt::format(
      "<table><thead><tr><th>dimension</th><th></th><th>standard deviations</th><th>cost</th>"
      "<th>usual cost</th></tr></thead><tbody>{}</tbody></table>\n",
      rows);
}

}  // namespace

std::string change_lead(const ChangePage& page) {
  const std::vector<size_t> used = used_dimensions(page);
  if (used.empty())
    return "r carries nothing: no dimension costs anything, here or in other pairs.";
  if (!page.groups.empty()) return lead_of_groups(page);
  std::string out =
      fmt::format("From {} to {}, ", page.pairs[0].from.caption, page.pairs[0].to.caption);
  std::vector<std::string> named;
  for (const size_t k : used) {
    if (std::abs(page.r[k]) < 1 || named.size() == 3) break;
    named.push_back(fmt::format("r{} is {:.1f} standard deviations {} its mean", k + 1,
                                std::abs(page.r[k]), page.r[k] < 0 ? "below" : "above"));
  }
  if (named.empty()) {
    return out +
           "no dimension of r is further than one standard deviation from its mean: the "
           "change is a usual one.";
  }
  for (size_t i = 0; i < named.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == named.size() ? " and " : ", ") + named[i];
  }
  return out + ".";
}

std::string change_body(const ChangePage& page) {
  SampleRow asked{"", {page.pairs[0].from, page.pairs[0].to}};
  std::vector<SampleRow> alike;
  for (size_t i = 1; i < page.pairs.size(); ++i) {
    SampleRow row{fmt::format("distance {:.2f}", page.pairs[i].distance),
                  {page.pairs[i].from, page.pairs[i].to}};
    alike.push_back(std::move(row));
  }
  const std::string costs = fmt::format(
      "r as the model infers it from both samples, less what it expects from the first one alone, "
      "in standard deviations from its mean over pairs of the data. The cost of a dimension is "
      "what "
      "the model pays for using it ({}): {:.3f} in all here, {:.3f} for a usual pair. A dimension "
      "that costs nothing carries nothing.",
      escaped(page.unit), sum(page.cost), sum(page.usual_cost));
  std::string out = section("The pair", escaped(page.about), sample_rows({asked}));
  if (!page.groups.empty()) {
    out += section("Factor by factor",
                   "Dimensions of r are grouped by the factor that sampling them changes most; "
                   "groups that change none are named by their dimensions (evaluation control).",
                   groups_table(page));
  }
  out += section("Dimension by dimension", costs, dimensions_table(page));
  if (!alike.empty()) {
    out += section("Pairs whose change is most alike",
                   "A is to B as C is to D: pairs of the data by the distance of their r from this "
                   "one, each dimension divided by its standard deviation.",
                   "<div class=\"alike\">" + sample_rows(alike) + "</div>");
  }
  return out;
}

std::string change_text(const ChangePage& page) {
  std::string out = change_lead(page) + "\n";
  for (const GroupCost& one : group_costs(page)) {
    out += fmt::format("{:<16} cost {:8.3f}   usual {:8.3f} {}   ({})\n", one.group->name, one.here,
                       one.usual, page.unit, dims_text(*one.group));
  }
  for (size_t k = 0; k < page.r.size(); ++k) {
    out += fmt::format("r{:<3} {:+7.2f} sd   cost {:8.3f}   usual {:8.3f} {}\n", k + 1, page.r[k],
                       page.cost[k], page.usual_cost[k], page.unit);
  }
  for (size_t i = 1; i < page.pairs.size(); ++i) {
    out += fmt::format("alike {:6.2f}  {} -> {}\n", page.pairs[i].distance,
                       page.pairs[i].from.caption, page.pairs[i].to.caption);
  }
  return out;
}

nlohmann::ordered_json change_json(const ChangePage& page) {
  using nlohmann::ordered_json;
  ordered_json out = {{"a", page.pairs[0].from.caption},
                      {"b", page.pairs[0].to.caption},
                      {"r", page.r},
                      {"cost", page.cost},
                      {"usual_cost", page.usual_cost},
                      {"unit", page.unit},
                      {"groups", ordered_json::array()},
                      {"alike", ordered_json::array()}};
  for (const auto& group : page.groups) {
    out["groups"].push_back({{"name", group.name}, {"dims", group.dims}});
  }
  for (size_t i = 1; i < page.pairs.size(); ++i) {
    out["alike"].push_back({{"c", page.pairs[i].from.caption},
                            {"d", page.pairs[i].to.caption},
                            {"distance", page.pairs[i].distance}});
  }
  return out;
}

}  // namespace adassl::report
