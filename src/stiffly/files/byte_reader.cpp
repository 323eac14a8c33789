#include "stiffly/files/byte_reader.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"

namespace stiffly {

void ByteReader::require(std::uint64_t count, std::uint64_t size, std::string_view wanted) const {
  if (size > 0 && count > left() / size)
    throw InputError(fmt::format("{}: the file ends after {} bytes, where {} should follow; it is not whole",
                                 name_, bytes_.size(), wanted));
}

void ByteReader::fail(const std::string& message) const {
  throw InputError(fmt::format("{}: {} (at byte {})", name_, message, at_));
}

}  // namespace stiffly
