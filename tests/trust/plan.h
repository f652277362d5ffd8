#pragma once

#include <cstdint>
#include <string>

#include "trust/counters.h"

/// The fault that the environment asks for, and which operations it concerns.
///
///   ADASSL_FAULT_ROOT     an absolute folder; only files beneath it count (and every fork)
///   ADASSL_FAULT_KIND     write, sync, ..., any, or several of them with commas between
///   ADASSL_FAULT_AT       the number of the operation, from 1; 0 only counts
///   ADASSL_FAULT_ACTION   an errno (EIO, ENOSPC, EDQUOT, EMFILE, ENOMEM, EAGAIN, EACCES), or
///                         short (half of the bytes), delay (half a second), kill (SIGKILL before
///                         the operation), tear (half of the bytes, then SIGKILL)
///   ADASSL_FAULT_COUNTER  a file of `Counters`, shared by all processes of a case
///   ADASSL_FAULT_UNTIL    if set, every operation from the n-th on fails until this file exists
///   ADASSL_FAULT_TRACE    if set, a file that gets one line for each operation: kind and path
namespace adassl::trust {

enum class Verdict { kPass, kFail, kShorten, kTear };

/// Counts the operation on `path` and says what becomes of it. Kills and delays happen in here. A
/// verdict of kFail has set errno.
Verdict judge(Kind kind, const std::string& path);

/// The path of an open descriptor.
std::string path_of(int file);
/// `path` as an absolute path, relative to the folder that the descriptor `folder` has open.
std::string absolute(int folder, const char* path);
bool exists(const std::string& path);

[[noreturn]] void die();

}  // namespace adassl::trust
