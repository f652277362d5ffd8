#include <memory>

#include "adassl/bench/bench.h"
#include "adassl/cli/commands.h"
#include "adassl/core/host.h"

namespace adassl::cli {

void add_bench(CLI::App& app, Context&) {
  auto options = std::make_shared<bench::Options>();
  options->threads = static_cast<int>(host::logical_cores());
  CLI::App* command = app::add_command(app, "bench");
  command
      ->add_option(
          "experiment", options->experiment,
          "numerical: kernels and training steps of the numerical experiment; video: "
          "convolutions and training steps of the video experiment; convolution: our "
          "bfloat16 convolutions against LibTorch's in float32, for several networks; data: "
          "reading images and seeing them, beside torchvision")
      ->check(CLI::IsMember({"numerical", "video", "convolution", "data"}));
  command
      ->add_option("--repeats", options->repeats, "measurements of each row; the median is printed")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--threads", options->threads, "threads of both sides (default: one per core)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--only", options->only, "measure only rows whose name contains this text");
  command->add_flag("--scaling", options->scaling,
                    "numerical: also batches up to 65536, embeddings up to 512 wide and several "
                    "numbers of threads (takes minutes)");
  command->add_flag("--json", options->json, "print one JSON object per row");
  command->add_option("--records", options->records, "append the rows to this file, as records");
  command->callback([options] { bench::run(*options); });
}

}  // namespace adassl::cli
