#pragma once

#include "adassl/data/source.h"
#include "adassl/storage/run_directory.h"

/// Which parts of the data a run leaves out because they are unusable: quarantine.jsonl, one line
/// with path and reason for each. The list belongs to the run like its configuration. A resumed run
/// uses it even if a file was repaired in the meantime, so that its pairs stay the same.
///
/// JSON is UTF-8, but the name of a file may be any bytes. Where a name is not UTF-8, `path` shows
/// U+FFFD in place of the wrong bytes, and a third field `path_hex` holds all bytes of the name as
/// hexadecimal digits. It is then what counts.
namespace adassl::study {

/// Writes the list of a new run; no file if it is empty.
void write_quarantine(const storage::RunDirectory& run, const data::Source& source);

/// Makes the source leave out what the run began without.
void restore_quarantine(const storage::RunDirectory& run, data::Source& source);

}  // namespace adassl::study
