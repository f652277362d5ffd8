// embed RUN X.npy Z.npy: embeds the observations of a file with the model of a run.

#include <iostream>

#include <adassl/adassl.h>

int main(int argc, char** argv) try {
  if (argc != 4) throw adassl::Error("usage: embed RUN X.npy Z.npy");
  const adassl::Run run(argv[1]);
  const adassl::Array z = run.embed(adassl::read_npy(argv[2]));
  adassl::write_npy(argv[3], z);
  std::cout << run.method() << ", step " << run.step() << ": " << z.rows() << " embeddings of "
            << z.columns() << " numbers\n";
} catch (const std::exception& error) {
  std::cerr << "embed: " << error.what() << "\n";
  return 2;
}
