#pragma once

#include <string>
#include <vector>

#include "adassl/report/sample_rows.h"

/// The figure of controllable retrieval: samples, their neighbours, and what is retrieved when one
/// group of dimensions of r is sampled.
namespace adassl::report {

struct ControlFigure {
  struct Row {
    std::string name;
    std::vector<storage::Image> found;
  };
  struct Query {
    std::string name;
    storage::Image x;
    std::vector<storage::Image> neighbours;
    storage::Image still;   // retrieved with r at its expectation
    std::vector<Row> rows;  // a group each
  };
  std::vector<Query> queries;
};

/// The figure as a standalone SVG file. Error if a sample cannot be shown as a picture.
std::string control_picture(const ControlFigure& figure);

}  // namespace adassl::report
