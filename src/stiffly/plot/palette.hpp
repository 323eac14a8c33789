// Colours of charts and pictures.
#pragma once

#include "stiffly/plot/image.hpp"

namespace stiffly::palette {

inline constexpr Color paper = {1, 1, 1}, ink = {0.16f, 0.18f, 0.22f}, pale_ink = {0.40f, 0.43f, 0.48f},
                       faint = {0.89f, 0.90f, 0.92f};

/// Told apart also by those who are blind to some colours: Okabe and Ito, Color Universal Design (2008),
/// without their yellow, which is lost on white paper.
inline constexpr Color blue = {0.000f, 0.447f, 0.698f}, vermilion = {0.835f, 0.369f, 0.000f},
                       green = {0.000f, 0.620f, 0.451f}, purple = {0.800f, 0.475f, 0.655f},
                       orange = {0.902f, 0.624f, 0.000f}, sky_blue = {0.337f, 0.706f, 0.914f},
                       black = {0, 0, 0};
inline constexpr std::array distinct = {blue, vermilion, green, purple, orange, sky_blue, black};

}  // namespace stiffly::palette
