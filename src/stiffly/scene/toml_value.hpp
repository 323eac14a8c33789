// Values of scene files from TOML. For sources of scene/ only: it shows a dependency that public headers
// hide.
#pragma once

#include "stiffly/scene/toml.hpp"
#include "stiffly/scene/value.hpp"

namespace stiffly {

/// Throws InputError "FILE:LINE: not valid TOML: …".
toml::table parse_toml(std::string_view text, const std::string& name);

/// The value of `key`; throws InputError if the node has another type.
Value read_value(const Section& section, const Key& key, const toml::node& node, const Origin& origin);

/// A value given as text, such as that of --set: TOML, or for text keys anything without quotes.
Value parse_value(const Section& section, const Key& key, std::string_view text, const Origin& origin);

inline int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

}  // namespace stiffly
