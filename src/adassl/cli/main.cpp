#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>

#include <fcntl.h>

#include "adassl/cli/commands.h"
#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/nn/torch.h"

namespace {

int run(int argc, char** argv) {
  using namespace adassl;
  CLI::App app("adassl: encoders from naturally paired data, and what the pairs differ in");
  app.require_subcommand(1);
  app.set_version_flag("--version",
                       "adassl " + host::version() + " (commit " + host::commit() + ")",
                       "which adassl this is");
  app.set_help_all_flag("--help-all", "the help of every command");
  cli::Context context;
  cli::add_train(app, context);
  cli::add_resume(app, context);
  cli::add_evaluate(app, context);
  cli::add_reproduce(app, context);
  cli::add_report(app, context);
  cli::add_imagine(app, context);
  cli::add_retrieve(app, context);
  cli::add_list(app, context);
  cli::add_data(app, context);
  cli::add_info(app, context);
  cli::add_bench(app, context);
  cli::add_verify_theory(app, context);
  if (argc > 1 && argv[1][0] != '-') {  // CLI11 would only say that a subcommand is required
    std::vector<std::string> known;
    for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
    const std::string chosen = argv[1];
    ADASSL_CHECK(std::find(known.begin(), known.end(), chosen) != known.end(),
                 "expected a command, one of ", text::list(known), ", got '", chosen, "'",
                 text::did_you_mean(chosen, known));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "adassl: " << error.what() << " (see 'adassl --help')\n";
    return 2;
  }
  return context.exit_code;
}

/// Whoever starts us may have closed descriptors 0 to 2. The files of a run would get these
/// numbers, and messages would go into them.
void open_standard_streams() {
  for (int number = 0; number <= 2; ++number) {
    if (fcntl(number, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest free number
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  std::signal(SIGCHLD, SIG_DFL);  // some parents hand on that it is ignored: no child would tell
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  adassl::host::choose_kernels(argv);
  adassl::host::tune_libraries();
  try {
    return run(argc, argv);
  } catch (const adassl::Error& error) {
    std::cerr << "adassl: " << error.what() << "\n";
    return 2;
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << "adassl: [" << error.path1().string() << "] " << error.code().message() << "\n";
    return 2;
  } catch (const c10::Error& error) {  // its what() carries a stack trace
    std::cerr << "adassl: LibTorch: " << error.what_without_backtrace() << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "adassl: out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << "adassl: " << error.what() << "\n";
  }
  return 1;
}
