// Particles and springs from CSV files.
#pragma once

#include <filesystem>
#include <vector>

#include "stiffly/scene/value.hpp"

namespace stiffly {

/// One entry of the section per row of the file, whose columns are the section's keys (docs/scenes.md says
/// how vectors are written). `origin` is where the file is named. Throws FileError, and InputError
/// "FILE:LINE: …".
std::vector<Values> read_table_file(const std::filesystem::path& path, const Section& section,
                                    const Origin& origin);

}  // namespace stiffly
