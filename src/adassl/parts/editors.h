#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/core/options.h"

/// The options of the editors.
namespace adassl::parts {

struct NoEditorOptions {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kSummary = "does not change the embedding";
  void visit(Fields&) {}
};

struct AdditiveEditorOptions {
  static constexpr std::string_view kName = "additive";
  static constexpr std::string_view kSummary = "adds r to the embedding";
  void visit(Fields&) {}
};

struct LinearEditorOptions {
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kSummary = "one matrix on the embedding and r together";
  void visit(Fields&) {}
};

struct MlpEditorOptions {
  static constexpr std::string_view kName = "mlp";
  static constexpr std::string_view kSummary = "a small network on the embedding and r together";
  std::vector<int64_t> hidden = {128};
  double slope = 0;
  void visit(Fields& field) {
    field("hidden", hidden, "widths of the hidden layers", {1, 65536});
    field("slope", slope, "negative slope of the LeakyReLU; 0 is ReLU", {0, 1});
  }
};

struct ModularEditorOptions {
  static constexpr std::string_view kName = "modular";
  static constexpr std::string_view kSummary = "one rank-1 edit for each entry of r";
  void visit(Fields&) {}
};

struct ConcatEditorOptions {
  static constexpr std::string_view kName = "concat";
  static constexpr std::string_view kSummary = "passes the embedding and r to the predictor";
  void visit(Fields&) {}
};

struct LieEditorOptions {
  static constexpr std::string_view kName = "lie";
  static constexpr std::string_view kSummary =
      "the exponential of a sum of learned generators, weighted by r (LieSSL)";
  void visit(Fields&) {}
};

}  // namespace adassl::parts
