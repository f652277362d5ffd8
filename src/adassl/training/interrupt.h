#pragma once

namespace adassl::training {

/// SIGINT and SIGTERM ask a run to save and stop. A second one ends the process at once.
void catch_interrupts();
/// The signal that came, or 0.
int interrupted();

}  // namespace adassl::training
