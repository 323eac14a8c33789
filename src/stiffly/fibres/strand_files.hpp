// Fibres from files.
#pragma once

#include <filesystem>
#include <vector>

#include "stiffly/fibres/fibre.hpp"

namespace stiffly {

/// The lines in a file, by its ending:
///   .csv   columns fibre, x, y, z and, if there is one, thickness; rows of a fibre stand together
///   .hair  Cem Yuksel's layout: "HAIR", counts, flags, defaults, then arrays
///   (cemyuksel.com/research/hairmodels) .data  int32 number of strands; of each int32 number of points, then
///   x, y, z in single precision
/// All lengths are multiplied by `scale`; `thickness` (m) is for files that have none. Points are taken as
/// they are: make_fibre says what is no fibre. Throws InputError "FILE: …" for files that are no such files,
/// and FileError.
std::vector<CentreLine> read_strands(const std::filesystem::path& path, double scale, double thickness);

}  // namespace stiffly
