#include "rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/error.hpp"
#include "stiffly/text.hpp"

namespace stiffly::app {

void check_rows(std::span<const std::string> asked, std::span<const std::string> names,
                const std::string& what) {
  for (const std::string& name : asked)
    if (std::ranges::find(names, name) == names.end())
      throw InputError(fmt::format("--rows: there is no row '{}'; did you mean '{}'? A row is {}", name,
                                   nearest(name, names), what));
}

}  // namespace stiffly::app
