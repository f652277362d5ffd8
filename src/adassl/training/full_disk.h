#pragma once

#include <functional>
#include <string>

#include "adassl/training/log.h"

namespace adassl::training {

/// Calls write(). If it fails because the disk is full, either warns and retries until it succeeds
/// (`wait`), or throws a Failure that says how to continue (`stop`). Any other SystemError may be
/// transient: the call is repeated once, and a second error is rethrown. The error of a full disk
/// is rethrown too once a signal has asked the run to stop, so that nobody has to wait.
void when_there_is_room(const std::string& on_full_disk, Log& log,
                        const std::function<void()>& write);

}  // namespace adassl::training
