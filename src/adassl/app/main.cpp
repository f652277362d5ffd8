/// `adassl`: runs the commands that need no model by itself, within milliseconds. For all others it
/// sets the environment that libraries read while they are loaded, and executes `adassl-main`.

#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "adassl/app/commands.h"
#include "adassl/app/guard.h"
#include "adassl/core/host.h"

namespace {

namespace fs = std::filesystem;
using namespace adassl;

/// Opens descriptors 0 to 2 if the parent process has closed them. Otherwise files of a run would
/// get these numbers, and messages would be written into them.
void open_standard_streams() {
  for (int number = 0; number <= 2; ++number) {
    if (fcntl(number, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest free number
  }
}

/// `data inspect` is the only subcommand of `data` that needs no model.
bool inspects_data(int argc, char** argv) {
  return argc > 2 && std::string_view(argv[1]) == "data" && std::string_view(argv[2]) == "inspect";
}

bool needs_main(int argc, char** argv) {
  if (argc < 2) return false;
  const std::string_view word = argv[1];
  if (inspects_data(argc, argv)) return false;
  if (word == "--help-all") return true;  // only adassl-main knows every option
  for (const app::Command& command : app::commands()) {
    if (word == command.name) return command.needs_model;
  }
  return false;
}

/// The path of `adassl-main`, in the folder of this program.
fs::path main_program() {
  return fs::read_symlink("/proc/self/exe").replace_filename("adassl-main");
}

int run(int argc, char** argv) {
  app::require_command(argc, argv);
  if (needs_main(argc, argv)) {
    host::choose_kernels();
    const fs::path program = main_program();
    execv(program.c_str(), argv);
    throw Failure(join("[", program.string(), "] cannot be started: ", std::strerror(errno)));
  }
  const auto parser = app::make_app();
  for (const app::Command& command : app::commands()) {  // only for the help text
    if (command.needs_model) app::add_command(*parser, command.name);
  }
  if (inspects_data(argc, argv)) app::add_inspect(*parser->get_subcommand("data"));
  app::add_light_commands(*parser, parts::built_in());
  return app::parse(*parser, argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that exceeds its size limit is an error, not a crash
  return app::guarded([&] { return run(argc, argv); });
}
