// Rows of a page that the user asks for by name.
#pragma once

#include <span>
#include <string>

namespace stiffly::app {

/// Throws InputError, naming the nearest, unless all of `asked` are among `names`; `what` says what names
/// are.
void check_rows(std::span<const std::string> asked, std::span<const std::string> names,
                const std::string& what);

}  // namespace stiffly::app
