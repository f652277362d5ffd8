#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "adassl/cli/commands.h"
#include "adassl/storage/csv.h"
#include "adassl/storage/row_writer.h"
#include "adassl/study/seen_samples.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string run, data, out, layer = "embedding";
  std::vector<std::string> overrides;
};

/// Row i of the output is the sample on line i + 2.
void write_names(const fs::path& path, const study::SeenSamples& samples) {
  storage::OutputFile file(path);
  file.append("row,path\n");
  for (size_t i = 0; i < samples.usable.size(); ++i) {
    file.append(std::to_string(i) + "," + storage::csv_field(samples.name(samples.usable[i])) +
                "\n");
  }
  file.finish();
}

void embed(const Arguments& arguments, const study::Tables& tables) {
  const fs::path out = arguments.out;
  storage::require_row_format(out);
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
  // A CSV file of embeddings has another name than the list of its rows.
  const fs::path names = out.extension() == ".csv" ? fs::path(out).replace_extension(".paths.csv")
                                                   : fs::path(out).replace_extension(".csv");
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
