// Base64 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stiffly {

std::string encode_base64(std::string_view bytes);

/// Decodes up to the first character that does not belong to it, '=' included; nothing if a single character
/// is left over.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace stiffly
