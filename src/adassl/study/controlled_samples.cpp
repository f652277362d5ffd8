#include "adassl/study/controlled_samples.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/nn/tensors.h"
#include "adassl/records/run_records.h"

namespace adassl::study {
namespace {

using evaluation::GroupOfR;
using nlohmann::json;

/// For each prediction [n, d] the nearest row of the gallery other than `self`.
std::vector<Nearest::Other> nearest_of_each(const SeenSamples& gallery, const Array& rows,
                                            const Tensor& predictions, int64_t self) {
  Array queries = nn::array_of(predictions);
  normalise_rows(queries);
  const std::vector<int64_t> selves(static_cast<size_t>(queries.rows()), self);
  std::vector<Nearest::Other> out;
  for (const auto& nearest : nearest_others(gallery, rows, queries.values, selves, 1)) {
    if (!nearest.empty()) out.push_back(nearest.front());  // else the gallery has no other sample
  }
  return out;
}

std::vector<GroupOfR> groups_from(model::Predicts& method, const SeenSamples& gallery,
                                  const random::Stream& noise) {
  constexpr int64_t kSamples = 128;
  std::vector<int64_t> some;
  for (const int64_t row : asked_rows(gallery, {}, kSamples, "imagine")) {
    some.push_back(gallery.usable[static_cast<size_t>(row)]);
  }
  const Array seen = gallery.see(some);
  return evaluation::groups_of_r(method, method.encode(nn::view(seen)), {}, noise);
}

std::vector<int64_t> all_dims(int64_t width) {
  std::vector<int64_t> out;
  for (int64_t dim = 0; dim < width; ++dim) out.push_back(dim);
  return out;
}

/// A record may be damaged or of another model, so dimensions that r does not have are an Error.
GroupOfR group_of(const json& group) {
  GroupOfR out;
  const json dims = group.value("dims", json::array());
  for (const json& dim : dims) {
    ADASSL_CHECK(dim.is_number_integer(), "[imagine] expected the dimensions of a group of r, got ",
                 dims.dump());
    out.dims.push_back(dim.get<int64_t>());
  }
  const json name = group.value("name", json());
  out.name = name.is_string() ? name.get<std::string>() : "";
  return out;
}

}  // namespace

std::vector<GroupOfR> recorded_groups(const storage::RunDirectory& run) {
  std::vector<GroupOfR> out;
  for (const records::Record& record : records::read_records(run)) {
    if (record.kind != records::kControl || !record.rest.contains("groups")) continue;
    out.clear();
    for (const json& group : record.rest["groups"]) {
      if (group.is_object()) out.push_back(group_of(group));
    }
  }
  return out;
}

std::vector<Controlled> controlled_samples(const Restored& model, const SeenSamples& gallery,
                                           const ControlledOptions& options,
                                           std::vector<GroupOfR> groups) {
  auto& method = evaluation::require<model::Predicts>(*model.method);
  ADASSL_CHECK(method.samples_r(),
               "[imagine] expected a method that samples r, such as adassl-v, "
               "for --groups; got ",
               model.method_name);
  const std::vector<int64_t> asked = asked_rows(gallery, options.queries, options.rows, "imagine");
  Array rows = all_rows(model, gallery, Output::kTarget);
  normalise_rows(rows);
  const evaluation::Frozen frozen(*model.method);
  const random::Stream noise(options.seed, "imagine/groups");
  if (groups.empty()) groups = groups_from(method, gallery, noise.named("find"));
  if (std::ssize(groups) > options.groups) groups.resize(static_cast<size_t>(options.groups));
  for (const GroupOfR& group : groups) {
    for (const int64_t dim : group.dims) {
      ADASSL_CHECK(dim >= 0 && dim < method.r_width(), "[imagine] expected dimensions of r below ",
                   method.r_width(), ", got ", dim);
    }
  }
  groups.push_back({.dims = all_dims(method.r_width()), .name = "all of r"});
  std::vector<Controlled> out;
  for (const int64_t row : asked) {
    const int64_t sample = gallery.usable[static_cast<size_t>(row)];
    const Array x = gallery.see(std::vector{sample});
    const Tensor e = method.encode(nn::view(x));
    const Tensor starts = e.repeat_interleave(options.draws, 0);
    const auto around =
        nearest_others(gallery, rows, row_of(rows, row), std::vector{row}, options.draws);
    Controlled one{sample, around.front(), {}, {}};
    const auto still = nearest_of_each(gallery, rows, method.predict(e, method.expected_r(e)), row);
    ADASSL_CHECK(!still.empty(), "[imagine] expected a gallery of at least two samples");
    one.still = still.front();
    for (const GroupOfR& group : groups) {
      const random::Stream draws = noise.named(join(gallery.name(sample), "/", group.name));
      const Tensor r = evaluation::sample_some(method, starts, group.dims, draws);
      one.rows.push_back(
          {group.name, nearest_of_each(gallery, rows, method.predict(starts, r), row)});
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace adassl::study
