// own_source CONFIG RUN [key=value...]: trains on the data source of tones.h, prints how well its
// factors can be read off the embeddings, and writes some windows of signal for examples/embed.

#include <iostream>

#include <adassl/adassl.h>

#include "tones.h"

int main(int argc, char** argv) try {
  if (argc < 3) throw adassl::Error("usage: own_source CONFIG RUN [key=value...]");
  auto config = adassl::Config::from_file(argv[1]);
  for (int i = 3; i < argc; ++i) config.override_with(argv[i]);

  adassl::Parts parts;
  parts.add_source<Tones>();
  const adassl::Outcome outcome = adassl::train(config, argv[2], parts);
  std::cout << "trained " << outcome.step << " steps, R2 " << outcome.metrics.at("r2_tones")
            << "\n";

  const Tones tones({}, 1);
  adassl::write_npy("windows.npy", tones.samples("tones", {7, "example"}, 1000).x);
} catch (const std::exception& error) {
  std::cerr << "own_source: " << error.what() << "\n";
  return 2;
}
