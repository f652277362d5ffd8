/// `adassl-main`: the commands that need LibTorch. `adassl` (app/main.cpp) starts it.

#include <csignal>

#include <sys/prctl.h>

#include "adassl/app/commands.h"
#include "adassl/app/guard.h"
#include "adassl/cli/commands.h"
#include "adassl/core/host.h"
#include "adassl/nn/torch.h"

namespace {

using namespace adassl;

int run(int argc, char** argv) {
  cli::Context context;
  const auto parser = app::make_app();
  cli::add_train(*parser, context);
  cli::add_resume(*parser, context);
  cli::add_evaluate(*parser, context);
  cli::add_reproduce(*parser, context);
  app::add_light_commands(*parser, study::catalogue_of(context.tables));
  cli::add_imagine(*parser, context);
  cli::add_retrieve(*parser, context);
  cli::add_embed(*parser, context);
  cli::add_neighbours(*parser, context);
  cli::add_probe(*parser, context);
  cli::add_explain(*parser, context);
  cli::add_data(*parser, context);
  cli::add_info(*parser, context);
  cli::add_bench(*parser, context);
  cli::add_verify_theory(*parser, context);
  try {
    const int code = app::parse(*parser, argc, argv);
    return code != 0 ? code : context.exit_code;
  } catch (const c10::Error& error) {  // its what() contains a stack trace
    throw Failure(join("LibTorch: ", error.what_without_backtrace()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_NAME, "adassl");   // what `top` shows
  std::signal(SIGCHLD, SIG_DFL);  // if a parent had ignored it, waitpid would lose exit codes
  std::signal(SIGXFSZ, SIG_IGN);  // a file that exceeds its size limit is an error, not a crash
  host::tune_libraries();
  return app::guarded([&] { return run(argc, argv); });
}
