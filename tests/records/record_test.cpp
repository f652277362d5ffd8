#include "adassl/records/record.h"

#include <cmath>

#include <gtest/gtest.h>

#include "adassl/core/error.h"
#include "adassl/records/describe.h"

namespace adassl::records {
namespace {

using nlohmann::json;

json whole() {
  return json::parse(R"json({"kind": "evaluation", "row": "a", "method": "infonce", "seed": 3,
    "step": 100, "final": true, "config_hash": "abc", "commit": "def", "time": "2026-01-01T00:00:00Z",
    "host": {"cpu": "A CPU", "threads": 2}, "metrics": {"r2_pz": 0.5, "kl": 2.0},
    "vectors": {"kl_per_dim": [0.5, 1.5]},
    "describe": {"r2_pz": {"label": "R² on p(z)", "about": "a line", "unit": "nats",
                           "better": "high", "range": [-1.0, 1.0], "section": "results", "order": 2,
                           "curve": true},
                 "kl": {"better": "low", "range": [0.0, null]},
                 "kl_per_dim": {"entries": ["first", "second"]}},
    "panels": [1, 2], "new": {"key": 1}})json");
}

TEST(Record, HasTypedFieldsAndKeepsTheRest) {
  const Record record = parse(whole()).value();
  EXPECT_EQ(record.kind, "evaluation");
  EXPECT_EQ(record.row, "a");
  EXPECT_EQ(record.method, "infonce");
  EXPECT_EQ(record.seed, 3);
  EXPECT_EQ(record.step, 100);
  EXPECT_EQ(record.final, true);
  EXPECT_EQ(record.config_hash, "abc");
  EXPECT_EQ(record.commit, "def");
  EXPECT_EQ(record.host["threads"], 2);
  EXPECT_EQ(record.metrics.at("kl"), 2);
  EXPECT_EQ(record.vectors.at("kl_per_dim"), (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(record.rest, json::parse(R"({"panels": [1, 2], "new": {"key": 1}})"));
  const Metric& metric = record.descriptions.at("r2_pz");
  EXPECT_EQ(metric, (Metric{.name = "r2_pz",
                            .label = "R² on p(z)",
                            .about = "a line",
                            .unit = "nats",
                            .better = Better::kHigher,
                            .range = {-1, 1},
                            .section = "results",
                            .order = 2,
                            .curve = true}));
  EXPECT_EQ(record.descriptions.at("kl").range, (MetricRange{.low = 0}));
  EXPECT_EQ(record.descriptions.at("kl_per_dim").entries,
            (std::vector<std::string>{"first", "second"}));
}

TEST(Record, IsWrittenAsItWasRead) {
  EXPECT_EQ(to_json(parse(whole()).value()), whole());
  EXPECT_EQ(to_lines({parse(whole()).value()}), whole().dump() + "\n");
  for (const char* line :
       {R"({"kind":"curve","points":{"loss":[3.5,null],"step":[1,2]}})",
        R"({"kind":"density","panels":[],"seed":1,"step":7})",
        R"({"final":false,"kind":"milestone","metrics":{},"step":7,"vectors":{}})",
        R"({"columns":[],"kind":"study","name":"s","rows":[],"steps":3})"}) {
    EXPECT_EQ(to_lines({parse(json::parse(line)).value()}), std::string(line) + "\n");
  }
}

TEST(Record, WritesWhatIsNotFiniteAsNull) {
  Record record{.kind = "evaluation"};
  record.metrics["m"] = NAN;
  EXPECT_EQ(to_lines({record}),
            "{\"kind\":\"evaluation\",\"metrics\":{\"m\":null},\"vectors\":{}}\n");
  EXPECT_TRUE(std::isnan(parse(json::parse(to_lines({record}))).value().metrics.at("m")));
}

TEST(Record, IsNoneWithoutAKindOrWithFieldsThatCannotBeUsed) {
  for (const char* line :
       {"[]", "3", "null", "{}", R"({"kind":3})", R"({"kind":"evaluation","step":"x"})",
        R"({"kind":"evaluation","step":1.5})", R"({"kind":"evaluation","config_hash":7})",
        R"({"kind":"evaluation","metrics":[1]})", R"({"kind":"evaluation","vectors":null})"}) {
    EXPECT_FALSE(parse(json::parse(line))) << line;
  }
}

TEST(Record, DropsOtherFieldsOfAWrongType) {
  const Record record = parse(json::parse(R"json({"kind": "evaluation", "row": 1, "method": [],
    "seed": "x", "final": "yes", "commit": {}, "time": 3, "host": "here",
    "metrics": {"a": "text", "b": null, "c": [], "d": 1}, "vectors": {"e": 3, "f": [1, "x"]},
    "describe": {"a": 3, "b": {"label": 1, "range": [2, 1], "order": "x", "curve": 1},
                 "c": {"range": [1], "entries": ["one", 2]}}})json"))
                            .value();
  EXPECT_EQ(row_of(record), "run");
  EXPECT_FALSE(record.seed);
  EXPECT_FALSE(record.final);
  EXPECT_TRUE(record.host.is_null());
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(std::isnan(record.metrics.at(name))) << name;
  EXPECT_EQ(record.metrics.at("d"), 1);
  EXPECT_FALSE(record.vectors.contains("e"));
  EXPECT_TRUE(std::isnan(record.vectors.at("f").at(1)));
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(record.descriptions.at(name), Metric{.name = name}) << name;
  }
  EXPECT_TRUE(record.rest.empty());
}

TEST(Records, SkipObjectsThatAreNoneAndRefuseWhatIsNoObject) {
  EXPECT_EQ(parse_all({whole(), json::object(), whole()}).size(), 2U);
  EXPECT_THROW(parse_all({json::array({1, 2})}), Error);
}

TEST(Descriptions, OfAMetricServeItsVariants) {
  const Descriptions known = {{"r2", {.name = "r2", .label = "R²"}},
                              {"time", {.name = "time", .label = "time", .unit = "seconds"}},
                              {"bare", {.name = "bare"}}};
  EXPECT_EQ(label_of(known, "r2"), "R²");
  EXPECT_EQ(label_of(known, "round.r2"), "R², round");
  EXPECT_EQ(label_of(known, "round.time"), "time, seconds, round");
  EXPECT_EQ(label_of(known, "bare"), "bare");
  EXPECT_EQ(label_of(known, "unknown"), "unknown");
  EXPECT_EQ(label_of(known, "round.unknown"), "round.unknown");
  EXPECT_EQ(find_metric(known, "r2.round"), nullptr);
}

TEST(Descriptions, OfSeveralRecordsAreJoined) {
  Record first{.kind = "evaluation"}, second{.kind = "curve"};
  first.descriptions["a"] = {.name = "a", .label = "first"};
  second.descriptions["a"] = {.name = "a", .label = "second"};
  second.descriptions["b"] = {.name = "b", .label = "b"};
  const Descriptions joined = descriptions_of({first, second});
  EXPECT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined.at("a").label, "first");
}

}  // namespace
}  // namespace adassl::records
