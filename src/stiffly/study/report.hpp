// What runs and studies left in their folders, as one page.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace stiffly::study {

/// A self-contained HTML page: of every folder its JSON files as tables and its pictures, nothing linked.
/// Where a picture is there as SVG and PNG, the SVG is taken. Throws FileError for what is no folder, and
/// InputError for one without anything to show or with a file that is not JSON.
std::string html_report(std::span<const std::filesystem::path> folders);

}  // namespace stiffly::study
