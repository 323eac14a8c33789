// Rigid motions as a scene file tells them.
#pragma once

#include <memory>

#include "stiffly/scene/value.hpp"
#include "stiffly/system/motion.hpp"

namespace stiffly {

/// The keys that tell a motion: through keyframes, or by expressions of time.
std::vector<Key> motion_keys();

/// The motion that the table tells; none where it has none of these keys. Expressions must be finite up to
/// `duration`. Throws InputError at the line of whatever is wrong.
std::shared_ptr<const Motion> scripted_motion(const Values& motion, double duration);

}  // namespace stiffly
