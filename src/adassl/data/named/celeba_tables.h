#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace adassl::data {

/// What CelebA's tables say about the photographs, in the order of their rows.
struct FaceTable {
  std::vector<std::string> attributes;       // their names
  std::vector<std::string> files;            // of each photograph
  std::vector<std::vector<uint8_t>> values;  // of each attribute: 0 or 1 for each photograph
  std::vector<int32_t> people;               // of each photograph; empty if it is not known

  int64_t count() const { return static_cast<int64_t>(files.size()); }
};

/// list_attr_celeba.txt: the number of rows, the names of the attributes, then `file v1 v2 ...`
/// with values 1 and -1. identity_CelebA.txt: `file person`, for the same files.
FaceTable read_raw_faces(const std::filesystem::path& attributes,
                         const std::filesystem::path& identities);

/// A table with a header, fields between blanks. The column `filename` (or file, path, image) names
/// the photograph, `identity` the person if it is there; all other columns are attributes, 0 or 1.
/// Rows may begin with a number that the header does not have.
FaceTable read_prepared_faces(const std::filesystem::path& path);

/// The paper's split, 0: train, 1: validation, 2: test. The share `held_out` of the people is kept
/// from training; each of their photographs goes to validation or test at random, one half each.
/// The draw depends on the names of people and files and on the seed.
std::vector<int8_t> split_faces(const FaceTable& faces, double held_out, uint64_t seed);

}  // namespace adassl::data
