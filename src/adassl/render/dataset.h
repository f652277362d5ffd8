#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "adassl/render/picture.h"

/// A whole data set of pictures, in the layout of 3DIdent:
///
///     DIR/train/images/000.png ...     numbered from 0, with as many digits as the last one needs
///     DIR/train/raw_latents.npy        float32 [N, 10], from -1 to 1
///     DIR/train/latents.npy            float32 [N, 10], what the scene is made from
///     DIR/test/...                     the same
///     DIR/factors.csv                  path, split, and the factors, standardised
///     DIR/rendering.json               what was rendered, and whether all of it is there
///
/// or as one cache of images (images/cache.h), first those for training, then those for the test,
/// with its tables beside it: FILE.raw_latents.npy, FILE.latents.npy and FILE.csv.
///
/// Picture i of a part is a pure function of (seed, part, i). Neither the number of threads nor
/// interruptions change a byte: a rendering that was stopped continues where it was.
namespace adassl::render {

struct DatasetOptions {
  int64_t count = 1000;      // pictures for training
  int64_t test_count = 100;  // may be 0
  uint64_t seed = 1;
  Quality quality;
};

/// Error if an option is out of range.
void require_valid(const DatasetOptions& options);

struct Part {
  std::string name;  // train, test
  int64_t count = 0;
};

std::array<Part, 2> parts_of(const DatasetOptions& options);

/// The raw factors of the pictures of a part.
std::vector<Factors> draw_factors(uint64_t seed, const Part& part);

storage::Image picture(const Object& object, const DatasetOptions& options, const Part& part,
                       int64_t i);

/// "007.png": digits as 3DIdent counts them, ceil(log10(count)), and at least one.
std::string file_name(int64_t i, int64_t count);

/// One line of JSON that says what decides about the bytes of a data set.
std::string description(const Object& object, const DatasetOptions& options, bool is_complete);

/// Told how many pictures there are, of how many.
using Progress = std::function<void(int64_t done, int64_t total, const std::string& what)>;

/// Renders what is missing, on all threads of kernels/threads.h, and returns how many pictures that
/// were. Files that are there already are kept if they are sound. Error if the folder holds
/// anything but an earlier call's work with the same options and hidden files, or while another
/// process renders into it.
int64_t render_folder(const std::filesystem::path& folder, const Object& object,
                      const DatasetOptions& options, const Progress& progress);

/// The same into a cache. Error if the file exists and is another one.
int64_t render_cache(const std::filesystem::path& file, const Object& object,
                     const DatasetOptions& options, const Progress& progress);

}  // namespace adassl::render
