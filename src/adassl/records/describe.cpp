#include "adassl/records/describe.h"

#include <cmath>

namespace adassl::records {
namespace {

using nlohmann::json;

json bound(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json to_json(const Metric& metric) {
  json out = json::object();
  const auto put = [&](const char* key, const std::string& text) {
    if (!text.empty()) out[key] = text;
  };
  put("label", metric.label);
  put("about", metric.about);
  put("unit", metric.unit);
  if (metric.better != Better::kNeither) {
    out["better"] = metric.better == Better::kHigher ? "high" : "low";
  }
  if (metric.range != MetricRange{}) {
    out["range"] = {bound(metric.range.low), bound(metric.range.high)};
  }
  put("section", metric.section);
  if (metric.order != 0) out["order"] = metric.order;
  if (metric.curve) out["curve"] = true;
  if (!metric.entries.empty()) out["entries"] = metric.entries;
  return out;
}

/// The value of a key; null if the key is absent.
const json& at(const json& object, const char* key) {
  static const json nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::string text_at(const json& object, const char* key) {
  const json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

MetricRange parse_range(const json& value) {
  MetricRange out;
  if (!value.is_array() || value.size() != 2) return out;
  if (value[0].is_number()) out.low = value[0].get<double>();
  if (value[1].is_number()) out.high = value[1].get<double>();
  return out.low < out.high ? out : MetricRange{};
}

/// Names in their order; none if one of them is not a text.
std::vector<std::string> parse_entries(const json& value) {
  std::vector<std::string> out;
  if (!value.is_array()) return out;
  for (const json& name : value) {
    if (!name.is_string()) return {};
    out.push_back(name.get<std::string>());
  }
  return out;
}

Metric parse_metric(const std::string& name, const json& object) {
  Metric out{.name = name};
  if (!object.is_object()) return out;
  out.label = text_at(object, "label");
  out.about = text_at(object, "about");
  out.unit = text_at(object, "unit");
  const std::string better = text_at(object, "better");
  if (better == "high") out.better = Better::kHigher;
  if (better == "low") out.better = Better::kLower;
  out.range = parse_range(at(object, "range"));
  out.section = text_at(object, "section");
  const json& order = at(object, "order");
  if (order.is_number_integer()) out.order = order.get<int64_t>();
  out.curve = at(object, "curve") == json(true);
  out.entries = parse_entries(at(object, "entries"));
  return out;
}

}  // namespace

json to_json(const Descriptions& descriptions) {
  json out = json::object();
  for (const auto& [name, metric] : descriptions) out[name] = to_json(metric);
  return out;
}

Descriptions parse_descriptions(const json& object) {
  Descriptions out;
  if (!object.is_object()) return out;
  for (const auto& [name, value] : object.items()) out[name] = parse_metric(name, value);
  return out;
}

const Metric* find_metric(const Descriptions& descriptions, std::string_view name) {
  auto found = descriptions.find(std::string(name));
  if (found == descriptions.end()) {
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return nullptr;
    found = descriptions.find(std::string(name.substr(dot + 1)));
  }
  return found == descriptions.end() ? nullptr : &found->second;
}

std::string label_of(const Descriptions& descriptions, std::string_view name) {
  const Metric* metric = find_metric(descriptions, name);
  if (metric == nullptr || metric->label.empty()) return std::string(name);
  std::string out = metric->label;
  if (!metric->unit.empty()) out += ", " + metric->unit;
  if (metric->name != name) out += ", " + std::string(name.substr(0, name.find('.')));
  return out;
}

}  // namespace adassl::records
