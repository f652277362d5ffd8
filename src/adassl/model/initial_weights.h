#pragma once

#include <string>
#include <vector>

#include "adassl/nn/torch.h"
#include "adassl/storage/safetensors.h"

namespace adassl::model {

/// The tensor of this name in the file, in the type of `target`. Error if its shape is another, or
/// if a number is not finite. `where` names the file in messages.
Tensor initial_tensor(const storage::Safetensors& file, const std::string& where,
                      const std::string& name, const Tensor& target);

/// Copies the tensors of a safetensors file into the parameters and buffers of the same names.
/// float32, float64, float16 and bfloat16 are read.
///
///   `where`    the name of the file in messages
///   `own`      beginnings of names that are the module's own and stay as they are
///   `ignored`  beginnings of names in the file that nobody misses
///
/// Returns lines for the log: how many tensors were read; which of the module's are missing in the
/// file and stay as they are; and which of the file's the module does not have. Error if a shape
/// differs, if a number is not finite, or if no name of the file is known; then nothing was copied.
std::vector<std::string> start_from(torch::nn::Module& module, const storage::Safetensors& file,
                                    const std::string& where, const std::vector<std::string>& own,
                                    const std::vector<std::string>& ignored);

}  // namespace adassl::model
