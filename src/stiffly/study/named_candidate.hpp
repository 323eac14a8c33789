// Ways to solve a scene, by the names that users give them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiffly/study/candidate.hpp"

namespace stiffly::study {

/// `NAME` (or `auto`), `NAME+EVALUATOR` or, for implicit methods, `NAME+NEWTON`, and all of them with
/// `:tolerance` for steps chosen by a tolerance instead of constant ones. Throws InputError that names the
/// nearest valid name.
std::unique_ptr<Candidate> make_named(const std::string& text, const IntegratorOptions& options);

/// Explicit ones for what is not stiff, others for what is: for references, of which the cheapest two that
/// agree count.
const std::vector<std::string>& reference_methods();
/// One of them. Nothing in it may hold the error up, which is to come below `agreement`.
std::unique_ptr<Candidate> make_reference_method(const std::string& name, IntegratorOptions options,
                                                 double agreement);

/// The integrators that are compared unless others are asked for: one or two of each kind.
const std::vector<std::string>& usual_integrators();

}  // namespace stiffly::study
