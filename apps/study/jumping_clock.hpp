// Clocks that are set while a program runs, as by a person, by the network, or by a machine that slept.
#pragma once

namespace stiffly::app {

/// From now on every look at a clock of this process finds it hours, days or years before or after what the
/// system says.
void let_clocks_jump();

}  // namespace stiffly::app
