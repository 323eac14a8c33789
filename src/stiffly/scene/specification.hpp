// The one list of all keys of scene files. Parsing, checks, overrides, help and the reference page come from
// it.
#pragma once

#include <string>
#include <string_view>

#include "stiffly/scene/value.hpp"

namespace stiffly {

const Section& root_section();
const Section& simulation_section();
/// [model] with the keys of that kind; throws InputError for an unknown one.
const Section& model_section(std::string_view kind, const Origin& origin = {});
const Section& particle_section();
const Section& spring_section();
const Section& weighted_spring_section();
const Section& girder_section();
const Section& rigid_section();
const Section& fibres_section();
const Section& damping_section();
const Section& field_section();
const Section& motion_section();
const Section& obstacle_section();
const Section& contact_section();
const Section& fluid_section();
const Section& plasticity_section();
const Section& motor_section();

/// All keys as a page of Markdown: docs/scenes.md.
std::string reference_page();

}  // namespace stiffly
