// PNG files.
#pragma once

#include <string>

#include "stiffly/plot/image.hpp"

namespace stiffly {

/// The image as the bytes of a PNG file with eight bits per channel.
std::string encode_png(const Image& image);

}  // namespace stiffly
