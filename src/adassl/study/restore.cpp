#include "adassl/study/restore.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include <nlohmann/json.hpp>

#include "adassl/core/config.h"
#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/parts/run.h"
#include "adassl/records/run_records.h"
#include "adassl/study/run.h"
#include "adassl/study/sample_list.h"
#include "adassl/training/checkpoint.h"

namespace adassl::study {
namespace {

using nlohmann::json;

constexpr const char* kFloat32 = "float32";
constexpr const char* kUint8 = "uint8";

/// The largest observation, in numbers, that a checkpoint may announce: a damaged one must not make
/// us allocate a network for it.
constexpr int64_t kLargestObservation = int64_t{1} << 31;

int64_t extent_in(const json& number, const std::string& where, int64_t largest) {
  const bool whole = number.is_number_integer();
  ADASSL_CHECK(whole && number >= 0 && number <= largest, "[", where,
               "] expected an extent of 0 to ", largest, " in the shape of the data, got ",
               number.dump());
  return number.get<int64_t>();
}

/// The reverse of data_text, for the shape; `where` names its origin in messages.
data::Source::Shape parse_data(const std::string& text, const std::string& where) {
  const json content = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto member = [&](const char* key) {
    ADASSL_CHECK(content.is_object() && content.contains(key), "[", where, "] expected '", key,
                 "' in the shape of the data, got ", text);
    return content[key];
  };
  data::Source::Shape out;
  const json observation = member("observation");
  ADASSL_CHECK(observation.is_array(), "[", where, "] expected a list of extents, got ", text);
  int64_t room = kLargestObservation;
  for (const json& extent : observation) {
    out.observation.push_back(extent_in(extent, where, room));
    room /= std::max<int64_t>(out.observation.back(), 1);
  }
  out.change = extent_in(member("change"), where, kLargestObservation);
  const json element = member("element");
  ADASSL_CHECK(element == kFloat32 || element == kUint8, "[", where, "] expected ", kFloat32,
               " or ", kUint8, ", got ", element.dump());
  out.element = element == kUint8 ? Element::kUint8 : Element::kFloat32;
  return out;
}

/// The computation of the run's configuration, but on the CPU, and with no more threads than this
/// process may use.
nn::ComputePtr compute_here(Config& config) {
  auto options = config.read<parts::ComputeOptions>("compute");
  options.device = "cpu";
  options.threads = std::clamp<int64_t>(options.threads, 1, host::logical_cores());
  return compute_of(options);
}

/// What the configuration does to the numbers of a user's own rows.
data::Standardised standardised_of(Config& config, const std::vector<int64_t>& observation) {
  const bool own = config.read_text("data.kind", "", "") == "files";
  if (!own || config.read_text("samples.kind", "arrays", "") != "arrays") return {};
  const auto options = config.read<data::Arrays::Options>("samples");
  int64_t width = 1;  // of a row; a window has several
  for (const int64_t extent : observation) width *= extent;
  if (options.window > 0) width /= options.window;
  return {options.mean, options.deviation, width};
}

}  // namespace

std::string data_text(const data::Source& source) {
  const data::Source::Shape shape = source.shape();
  json out = {{"observation", shape.observation},
              {"change", shape.change},
              {"element", shape.element == Element::kUint8 ? kUint8 : kFloat32}};
  if (json samples = list_of_samples(source); !samples.is_null()) {
    out["samples"] = std::move(samples);
  }
  return out.dump();
}

std::string change_since(const std::string& text, const data::Source& source) {
  const json content = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool told = content.is_object() && content.contains("samples");
  return told ? change_of_samples(content["samples"], source) : "";
}

std::string doubt_since(const std::string& text, const data::Source& source) {
  const json content = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const json samples = content.is_object() ? content.value("samples", json()) : json();
  const std::string how = division_of(source);
  if (samples.is_null() || how.empty() || tells_division(samples)) return "";
  return join(
      "the version of adassl that began this run did not note how it divided the samples "
      "into training, validation and test; now they are divided ",
      how);
}

Restored model_of(const Experiment& experiment, int64_t step) {
  const data::Source::Shape shape = experiment.source->shape();
  return {.method_name = experiment.method_name,
          .step = step,
          .seed = experiment.seed,
          .observation = shape.observation,
          .element = shape.element,
          .compute = experiment.computation,
          .prefetch = prefetch_of(experiment.loop),
          .method = experiment.method};
}

Restored restore_model(const storage::RunDirectory& run, const Tables& tables) {
  const std::string text = training::data_of_newest_checkpoint(run.checkpoints());
  if (text.empty()) {
    const Trained trained = load_run(run, {"compute.device=cpu"}, tables);
    Config config = Config::from_file(run.config());
    Restored out = model_of(trained.experiment, trained.step);
    out.standardised = standardised_of(config, out.observation);
    return out;
  }
  const auto shape = parse_data(text, run.checkpoints().string());
  // The configuration was checked as a whole when the run was created. Here only the model's part
  // of it is read.
  Config config = Config::from_file(run.config());
  Restored out;
  out.method_name = config.read_text("method", "", "which method");
  out.observation = shape.observation;
  out.element = shape.element;
  out.standardised = standardised_of(config, shape.observation);
  out.compute = compute_here(config);
  out.prefetch = prefetch_of(config.read<parts::LoopOptions>("train"));
  out.seed = static_cast<uint64_t>(config.read<parts::TopOptions>("").seed);
  out.method = model::make_method(
      config,
      {shape.observation, shape.change, out.seed, tables.parts, out.compute, /*restored=*/true},
      tables.methods);
  training::State state(*out.method, {}, out.compute);
  training::load_newest_checkpoint(
      state, run.checkpoints(), records::hash_of(run),
      [](const std::string& line) { std::cerr << "warning: " << line << "\n"; });
  out.step = state.step;
  return out;
}

}  // namespace adassl::study
