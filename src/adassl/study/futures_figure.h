#pragma once

#include "adassl/report/futures.h"
#include "adassl/study/run.h"

/// The columns of a figure of several futures of one clip.
namespace adassl::study {

/// Futures of `clips` held-out clips from number `clip` on. Error if the data of the run does not
/// provide several futures of one x.
Futures held_out_futures(const Experiment& experiment, int64_t clip, int64_t clips,
                         int64_t futures);

/// All of the true futures.
report::FutureColumn true_futures(int64_t clips, int64_t futures);

/// Those that a model imagines with `samples` draws of r for each clip. The label is left empty;
/// the note says how many of them differ.
report::FutureColumn imagined_futures(const Experiment& experiment, const Futures& futures,
                                      int64_t samples);

}  // namespace adassl::study
