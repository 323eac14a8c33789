// Ctrl-C and termination as a wish to end after the current step.
#pragma once

namespace stiffly::app {

/// From now on SIGINT and SIGTERM are noted; a second one ends the program at once.
void watch_interrupts();
bool interrupt_requested();

}  // namespace stiffly::app
