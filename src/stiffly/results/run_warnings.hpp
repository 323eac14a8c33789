// What a run gives reason to warn of.
#pragma once

#include "stiffly/results/frame_check.hpp"
#include "stiffly/results/run_report.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

/// Energy that the method lost or made, or that no step could keep; angular momentum that it lost; steps at
/// the limit of stability; frames that pass over vibrations (`frames` may be null). For a report that is
/// otherwise complete.
Warnings run_warnings(const Scene& scene, const RunReport& report, const FrameCheck* frames);

}  // namespace stiffly
