#pragma once

#include <functional>
#include <string>

#include "adassl/training/log.h"

namespace adassl::training {

/// Calls write() again and again while it fails because the disk is full (`wait`), with a warning,
/// or throws a Failure that says how to go on (`stop`). Another SystemError may pass: the call is
/// tried once more, and then the error is the caller's. So is that of a full disk once a signal
/// asks to stop: then nobody should have to wait.
void when_there_is_room(const std::string& on_full_disk, Log& log,
                        const std::function<void()>& write);

}  // namespace adassl::training
