#include "adassl/training/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/storage/safetensors.h"

namespace adassl::training {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "adassl-checkpoint-2";
constexpr const char* kOldFormat = "adassl-checkpoint-1";

using Metadata = std::map<std::string, std::string>;

using Named = std::vector<std::pair<std::string, Tensor>>;

/// Names and live tensors of a state, always in the same order.
Named tensors_of(const State& state) {
  Named out;
  for (const auto& slice : state.parameters.slices) {
    const auto add = [&](const char* kind, const Tensor& flat) {
      out.emplace_back(kind + slice.name, optim::FlatParameters::part(flat, slice));
    };
    add("parameter/", state.parameters.values);
    add("adamw.first/", state.optimizer.first_moment);
    add("adamw.second/", state.optimizer.second_moment);
  }
  for (const auto& item : state.module.named_parameters()) {  // of a target network
    if (!item.value().requires_grad()) out.emplace_back("follower/" + item.key(), item.value());
  }
  for (const auto& item : state.module.named_buffers()) {
    out.emplace_back("buffer/" + item.key(), item.value());
  }
  return out;
}

storage::Dtype dtype_of(const Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case torch::kFloat32:
      return storage::Dtype::kF32;
    case torch::kFloat64:
      return storage::Dtype::kF64;
    case torch::kInt64:
      return storage::Dtype::kI64;
    default:
      throw Error(join("[checkpoint] cannot store tensors of type ", tensor.scalar_type()));
  }
}

/// Views of the tensors' bytes. `owners` keeps the memory alive that the views point to.
std::vector<storage::TensorView> views_of(const Named& named, std::vector<Tensor>& owners) {
  std::vector<storage::TensorView> out;
  for (const auto& [name, tensor] : named) {
    owners.push_back(tensor.detach().to(torch::kCPU).contiguous());
    const Tensor& owner = owners.back();
    out.push_back({name,
                   dtype_of(owner),
                   owner.sizes().vec(),
                   {static_cast<const std::byte*>(owner.data_ptr()), owner.nbytes()}});
  }
  return out;
}

/// The checksum of the metadata and of all tensors: names, types, shapes and bytes.
std::string checksum(const std::vector<storage::TensorView>& views, const Metadata& metadata) {
  storage::Checksum sum;
  for (const auto& [key, value] : metadata) {
    if (key != "checksum") sum.add_field(key).add_field(value);
  }
  std::map<std::string, const storage::TensorView*> sorted;
  for (const auto& view : views) sorted[view.name] = &view;
  for (const auto& [name, view] : sorted) {
    sum.add_field(name).add_field(storage::name_of(view->dtype));
    sum.add_field(fmt::format("{}", fmt::join(view->shape, ",")));
    sum.add(view->bytes);
  }
  return sum.hex();
}

/// All checkpoints in the folder, newest first.
std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code code;
  auto items = fs::directory_iterator(folder, code);
  for (; !code && items != fs::directory_iterator(); items.increment(code)) {
    const std::string name = items->path().filename().string();
    if (name.starts_with("step-") && name.ends_with(".safetensors")) out.push_back(items->path());
  }
  if (code && code != std::errc::no_such_file_or_directory) {
    throw ReadError(join("[", folder.string(), "] cannot be read: ", code.message()), code.value());
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

std::string value_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

/// An integer from the metadata, whose checksum has been verified; Error if it is no integer.
uint64_t number_of(const Metadata& metadata, const std::string& key, const fs::path& path) {
  const std::string text = value_of(metadata, key);
  uint64_t out = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  ADASSL_CHECK(code == std::errc() && end == text.data() + text.size(), "[", path.string(),
               "] expected a whole number as ", key, ", got '", text, "'");
  return out;
}

/// Describes the first difference between the two lists of tensors; empty if there is none.
std::string difference_between(const Named& live, const std::vector<storage::TensorView>& stored) {
  if (live.size() != stored.size()) {
    return join("expected ", live.size(), " tensors, got ", stored.size());
  }
  for (const auto& [name, tensor] : live) {
    const auto view = std::find_if(stored.begin(), stored.end(),
                                   [&](const auto& other) { return other.name == name; });
    if (view == stored.end()) return join("no tensor '", name, "'");
    if (view->dtype != dtype_of(tensor) || view->shape != tensor.sizes().vec()) {
      return join(name, ": expected another shape or type");
    }
  }
  return "";
}

std::vector<storage::TensorView> views_in(const storage::Safetensors& file) {
  std::vector<storage::TensorView> out;
  for (const std::string& name : file.names()) out.push_back(file.at(name));
  return out;
}

/// A checkpoint whose format and checksum were verified.
storage::Safetensors read_intact(const fs::path& path) {
  auto file = storage::Safetensors::read(path);
  const auto& metadata = file.metadata();
  if (value_of(metadata, "format") == kOldFormat) {
    throw OfAnotherRun(
        join("[", path.string(),
             "] was written by an older adassl, and only that version can resume it; "
             "log.txt names its commit"));
  }
  ADASSL_CHECK(value_of(metadata, "format") == kFormat, "[", path.string(),
               "] expected a checkpoint of format ", kFormat);
  ADASSL_CHECK(checksum(views_in(file), metadata) == value_of(metadata, "checksum"), "[",
               path.string(), "] the checksum does not match: the file is damaged");
  return file;
}

Origin restore(State& state, const fs::path& path, const std::string& config_hash) {
  const auto file = read_intact(path);
  const auto& metadata = file.metadata();
  const Origin origin{
      value_of(metadata, "config_hash"),
      value_of(metadata, "computed_by"),
      {number_of(metadata, "metrics_bytes", path), value_of(metadata, "metrics_sum")},
      value_of(metadata, "data")};
  const uint64_t step = number_of(metadata, "step", path);
  if (origin.config_hash != config_hash) {
    throw OfAnotherRun(join("[", path.string(), "] belongs to another configuration (",
                            origin.config_hash, ", config.toml is ", config_hash,
                            "): a run is resumed with the configuration it was started with"));
  }
  const Named live = tensors_of(state);
  const std::string difference = difference_between(live, views_in(file));
  if (!difference.empty()) {
    throw OfAnotherRun(join("[", path.string(), "] belongs to another model: ", difference));
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : live) {
    const auto view = file.at(name);
    Tensor copy = torch::empty(tensor.sizes(), tensor.options().device(torch::kCPU));
    std::memcpy(copy.data_ptr(), view.bytes.data(), view.bytes.size());
    Tensor(tensor).copy_(copy);
  }
  state.step = static_cast<int64_t>(step);
  return origin;
}

/// Keeps `newest` and the checkpoints before it, `keep` in total; removes older ones, and all of
/// later steps. A checkpoint that cannot be removed now does no harm, and is removed the next time.
void prune(const fs::path& folder, const fs::path& newest, int64_t keep) {
  try {
    int64_t kept = 0;
    for (const fs::path& other : checkpoints_in(folder)) {
      if (other.filename() > newest.filename() || ++kept > keep) fs::remove(other);
    }
  } catch (const std::exception&) {
  }
}

}  // namespace

std::string not_finite(const State& state) {
  for (const auto& [name, tensor] : tensors_of(state)) {
    if (tensor.is_floating_point() && !tensor.isfinite().all().item<bool>()) return name;
  }
  return "";
}

fs::path save_checkpoint(const State& state, const fs::path& folder, const Origin& origin,
                         int64_t keep) {
  fs::path path = folder / fmt::format("step-{:013}.safetensors", state.step);
  std::vector<Tensor> owners;
  const auto views = views_of(tensors_of(state), owners);
  Metadata metadata = {{"format", kFormat},
                       {"step", std::to_string(state.step)},
                       {"config_hash", origin.config_hash},
                       {"computed_by", origin.computed_by},
                       {"metrics_bytes", std::to_string(origin.metrics.bytes)},
                       {"metrics_sum", origin.metrics.sum},
                       {"data", origin.data}};
  metadata["checksum"] = checksum(views, metadata);
  storage::write_safetensors(path, views, metadata);
  prune(folder, path, keep);
  return path;
}

bool has_checkpoint(const fs::path& folder) { return !checkpoints_in(folder).empty(); }

std::optional<LoadedCheckpoint> load_newest_checkpoint(
    State& state, const fs::path& folder, const std::string& config_hash,
    const std::function<void(const std::string&)>& warn) {
  const std::vector<fs::path> found = checkpoints_in(folder);
  for (const fs::path& path : found) {
    try {
      return LoadedCheckpoint{path, restore(state, path, config_hash)};
    } catch (const OfAnotherRun&) {
      throw;
    } catch (const ReadError&) {
      throw;  // the file may be intact; if we skipped it, it would be removed later
    } catch (const Error& error) {
      warn(join(error.what(), "; passed over"));
    }
  }
  ADASSL_CHECK(found.empty(), "[", folder.string(), "] none of ", found.size(),
               " checkpoints can be read; to begin anew, remove them");
  return {};
}

std::string data_of_newest_checkpoint(const fs::path& folder) {
  for (const fs::path& path : checkpoints_in(folder)) {
    try {
      return value_of(read_intact(path).metadata(), "data");
    } catch (const Error&) {  // load_newest_checkpoint says why
    }
  }
  return "";
}

void save_weights(const torch::nn::Module& module, const fs::path& path,
                  const std::map<std::string, std::string>& metadata) {
  Named named;
  for (const auto& item : module.named_parameters()) named.emplace_back(item.key(), item.value());
  for (const auto& item : module.named_buffers()) named.emplace_back(item.key(), item.value());
  std::vector<Tensor> owners;
  storage::write_safetensors(path, views_of(named, owners), metadata);
}

}  // namespace adassl::training
