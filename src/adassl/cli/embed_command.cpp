#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "adassl/cli/commands.h"
#include "adassl/core/error.h"
#include "adassl/storage/csv.h"
#include "adassl/storage/replaceable.h"
#include "adassl/storage/row_writer.h"
#include "adassl/study/seen_samples.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string run, data, out, layer = "embedding";
  std::vector<std::string> overrides;
};

constexpr std::string_view kListHeader = "row,path\n";

/// The list of the rows beside the output; a CSV file of embeddings has another name than it.
fs::path list_beside(fs::path out) {
  return out.replace_extension(out.extension() == ".csv" ? ".paths.csv" : ".csv");
}

/// Whether this is a list of rows that `embed` wrote.
bool is_list(const fs::path& path) {
  return storage::first_bytes(path, kListHeader.size()) == kListHeader;
}

/// Error if writing to `out` would replace something else than an earlier output of this name,
/// which has the list of its rows beside it: a file of the user, or the list of another output.
void require_replaceable(const fs::path& out) {
  const fs::path list = list_beside(out);
  std::error_code code;
  ADASSL_CHECK(!fs::exists(list, code) || is_list(list), "[", out.string(),
               "] expected to write the list of its rows to ", list.string(),
               ", got a file there that is no such list; choose another --out");
  ADASSL_CHECK(!is_list(out), "[", out.string(),
               "] is the list of the rows of another output; choose another --out");
  ADASSL_CHECK(
      !fs::exists(out, code) || is_list(list), "[", out.string(),
      "] expected to write embeddings, got a file there that 'embed' did not write: it has "
      "no list of its rows beside it; choose another --out or remove the file");
}

/// Row i of the output is the sample on line i + 2.
void write_names(const fs::path& path, const study::SeenSamples& samples) {
  storage::OutputFile file(path);
  file.append(kListHeader);
  for (size_t i = 0; i < samples.usable.size(); ++i) {
    file.append(std::to_string(i) + "," + storage::csv_field(samples.name(samples.usable[i])) +
                "\n");
  }
  file.finish();
}

void embed(const Arguments& arguments, const study::Tables& tables) {
  const fs::path out = arguments.out;
  storage::require_row_format(out);
  require_replaceable(out);
  const auto run = storage::RunDirectory::open(arguments.run, storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const study::SeenSamples samples = study::open_samples(run, arguments.data, arguments.overrides);
  const auto output =
      arguments.layer == "embedding" ? study::Output::kEmbedding : study::Output::kRepresentation;
  const auto count = static_cast<int64_t>(samples.usable.size());
  std::optional<storage::RowWriter> writer;
  int64_t columns = 0;
  study::for_each_block(model, samples, output, [&](int64_t, const Array& rows) {
    columns = rows.columns();
    if (!writer) {
      writer.emplace(out, storage::RowWriter::Matrix{arguments.layer,
                                                     count,
                                                     columns,
                                                     {{"method", model.method_name},
                                                      {"step", std::to_string(model.step)}}});
    }
    writer->append(rows.values);
  });
  writer->finish();
  const fs::path names = list_beside(out);
  write_names(names, samples);
  for (const auto& one : samples.set->rejected()) {
    std::cerr << "left out: " << one.name << ": " << one.reason << "\n";
  }
  std::cout << out.string() << ": " << count << " rows of " << columns << " numbers ("
            << arguments.layer << ", " << model.method_name << ", step " << model.step
            << ")\nrows: " << names.string() << "\n";
}

}  // namespace

void add_embed(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "embed");
  command->add_option("run", arguments->run, "run directory")->required();
  command->add_option("data", arguments->data, "a folder or file, as for train")->required();
  command->add_option("overrides", arguments->overrides, "key=value below samples.*");
  command->add_option("--out", arguments->out, "file that ends with .npy, .csv or .safetensors")
      ->required();
  command->add_option("--layer", arguments->layer, "which output of the encoder")
      ->check(CLI::IsMember({"embedding", "representation"}))
      ->capture_default_str();
  command->callback([arguments, &context] { embed(*arguments, context.tables); });
}

}  // namespace adassl::cli
