// When a substep of a Krylov evaluator is good enough, and when it is given up.
#pragma once

namespace stiffly::substep_rule {

inline constexpr double safety =
    2;  ///< bound and correction together: what the corrected solution can be off by
inline constexpr double acceptance = 1.4;  ///< a substep may exceed its share by this [Niesen & Wright 2012]
inline constexpr int max_tries = 4;

}  // namespace stiffly::substep_rule
