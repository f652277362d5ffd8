#include "adassl/data/source.h"
#include "adassl/records/describe.h"
#include "adassl/records/run_records.h"
#include "adassl/storage/json_lines.h"
#include "adassl/storage/run_status.h"
#include "adassl/study/quarantine.h"
#include "fuzz/harness.h"

namespace {

using namespace adassl;
namespace fs = std::filesystem;

/// A source that only remembers what it is to leave out.
class Remembering final : public data::Source {
 public:
  Shape shape() const override { return {}; }
  void make_pairs(const data::PairRows& /*rows*/, Batch& /*batch*/) const override {}
  std::vector<std::string> populations() const override { return {"all"}; }
  Samples samples(const std::string& /*population*/, const random::Stream& /*stream*/,
                  int64_t /*count*/) const override {
    return {};
  }
  std::vector<data::Unusable> unusable() const override { return parts_; }
  void leave_out(const std::vector<data::Unusable>& parts) override { parts_ = parts; }

 private:
  std::vector<data::Unusable> parts_;
};

void try_status(const fs::path& path) {
  const auto status = storage::read_status(path);
  if (!status) return;
  fuzz::require(fuzz::is_one_line(status->line), "a status is one line");
  storage::write_status(path, *status);
  fuzz::require(storage::read_status(path) == status, "a status is written as it was read");
}

void try_quarantine(const storage::RunDirectory& run) {
  Remembering source;
  if (!fuzz::accepted([&] { study::restore_quarantine(run, source); })) return;
  const auto parts = source.unusable();
  fs::remove(run.quarantine());
  study::write_quarantine(run, source);
  study::restore_quarantine(run, source);
  fuzz::require(source.unusable() == parts, "a list of unusable files is written as it was read");
}

void try_descriptions(const fs::path& path) {
  const auto descriptions = records::read_descriptions(path);
  const auto text = storage::json_text(records::to_json(descriptions));
  records::write_descriptions(path, descriptions);
  fuzz::require(storage::json_text(records::to_json(records::read_descriptions(path))) == text,
                "descriptions are written as they were read");
}

}  // namespace

/// The small files in which a run keeps what is known about it: status.json, describe.json,
/// quarantine.jsonl, metrics.jsonl and records.jsonl.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto text = fuzz::text_of(data, size);
  const fs::path folder = fuzz::file_with(text).parent_path() / "run";
  fs::create_directories(folder);
  testing::put(folder / "config.toml", "");
  const auto run = storage::RunDirectory::open(folder, storage::RunDirectory::Lock::kNo);
  for (const fs::path& path : {run.status(), run.descriptions(), run.quarantine(), run.metrics(),
                               run.records(), run.encoder()}) {
    testing::put(path, text);
  }
  fuzz::accepted([&] { records::run_records(run); });
  fuzz::accepted([&] { (void)records::is_finished(run); });
  try_status(run.status());
  try_quarantine(run);
  try_descriptions(run.descriptions());
  return 0;
}
