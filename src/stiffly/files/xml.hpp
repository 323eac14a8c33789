// A small reader of XML, as much of it as VTK's files use; and what writers need.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stiffly {

/// An element with its attributes and children. Views point into the text that was read.
struct XmlElement {
  std::string_view name;
  std::map<std::string_view, std::string_view> attributes;
  std::vector<XmlElement> children;
  std::string_view text;       ///< between its tags, up to the first child
  std::int64_t line = 0;       ///< where it opens
  std::int64_t text_line = 0;  ///< where `text` starts

  /// The child of that name, nullptr without one.
  const XmlElement* find(std::string_view child) const;
  /// The attribute's value, or `otherwise`.
  std::string_view attribute(std::string_view key, std::string_view otherwise = {}) const;
};

/// The root element. Comments, declarations and CDATA are skipped, entities are not resolved. What stands in
/// an element named `opaque` is not parsed: VTK keeps raw bytes there. Throws InputError "NAME:LINE: …".
XmlElement parse_xml(std::string_view text, const std::string& name, std::string_view opaque);

/// With the five signs that mean something in XML and HTML replaced.
std::string escape_xml(std::string_view text);

}  // namespace stiffly
