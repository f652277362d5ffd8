#pragma once

#include <map>
#include <string>
#include <vector>

#include "adassl/report/contour.h"
#include "adassl/report/table.h"
#include "adassl/storage/png.h"

/// The parts of a page, each empty if the records hold nothing for it.
namespace adassl::report {

/// Title, what was found, what the study is about, budget, seeds, time, machine, commit.
std::string header_section(const Table& table, const Records& records, const std::string& title);
/// Whether the run learns: in words, in numbers beside those before training, and in the neighbours
/// of fixed samples, as far as their pictures are given. Of several runs only what is wrong.
using Pictures = std::map<std::string, storage::Image>;  // by the names of samples
std::string learning_section(const Table& table, const Records& records, const Pictures& pictures);
/// The names of the samples that this section shows.
std::vector<std::string> names_of_neighbours(const Records& records);
std::string results_section(const Table& table);
/// One metric against another, as the study's "scatters" say.
std::string scatter_section(const Table& table, const Records& records);
std::vector<std::string> scatter_charts(const Table& table, const Records& records);
std::string curves_section(const Table& table, const Records& records);
/// For each group of rows one chart for each column of the table that has a curve.
std::vector<std::vector<std::string>> column_charts(const Table& table, const Records& records);
std::string density_section(const Table& table, const Records& records);
/// How much of r is used: bars for its dimensions, and the numbers that sum them up.
std::string latent_section(const Records& records);
/// Which factors groups of dimensions of r change, a table for each row of the study.
std::string control_section(const Table& table, const Records& records);
std::string factors_section(const Table& table, const Records& records);
/// One heat map for each row: how important each code is for each factor.
std::string importance_section(const Table& table, const Records& records);
std::string geometry_section(const Records& records);
/// The values of a metric on a curve, by step.
std::vector<Point> points_of(const Record& curve, const std::string& metric);
std::string all_metrics_section(const Records& records);

}  // namespace adassl::report
