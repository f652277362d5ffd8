#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/files.h"
#include "adassl/data/named/layout.h"
#include "adassl/data/named/three_d_ident.h"
#include "support/error_message.h"
#include "support/small_files.h"
#include "support/small_sets.h"

/// What the tests of the named data sets share: small drawn sets with the same layouts.
namespace adassl::data {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::put;
using testing::TemporaryDirectory;

class NamedData : public ::testing::Test {
 protected:
  /// The data set `kind` in the folder of this test, and its configuration.
  std::shared_ptr<Files> open(const std::string& kind, const std::string& more = "") {
    config_ = Config::from_text("data.kind = '" + kind + "'\ndata.folder = '" +
                                    folder_.path().string() + "'\nsamples.index = 'none'\n" + more,
                                "test");
    return std::dynamic_pointer_cast<Files>(make_part(sources(), config_, "data", "files", 1));
  }
  std::string mistake(const std::string& kind, const std::string& more = "") {
    return error_of([&] { open(kind, more); });
  }
  /// Replaces a text in a file.
  void change(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = testing::contents(folder_ / file);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    put(folder_ / file, text.replace(at, from.size(), to));
  }
  void write_latents(const std::string& file, const std::vector<float>& values,
                     std::vector<int64_t> shape) const {
    storage::write_npy(folder_ / file, storage::Dtype::kF32, shape,
                       std::as_bytes(std::span(values)));
  }
  static std::vector<std::string> names_of(const Source& source) {
    std::vector<std::string> out;
    for (const Column& column : source.shape().columns) out.push_back(column.name);
    return out;
  }
  static Pair pair_of(const Files& files, int64_t k) {
    random::Sequence draws = random::Stream(1, "pair").at(static_cast<uint32_t>(k));
    return files.pairing().pair(k, draws);
  }

  TemporaryDirectory folder_;
  Config config_;
};

}  // namespace adassl::data
