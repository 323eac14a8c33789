#include "stiffly/files/xml.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/error.hpp"
#include "stiffly/files/text_reader.hpp"

namespace stiffly {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr int deepest = 32;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, std::string_view opaque)
      : text_(text), name_(name), opaque_(opaque) {}

  XmlElement root() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    skip_to_element();
    return element(0);
  }

 private:
  [[noreturn]] void fail(const std::string& message) {
    throw InputError(fmt::format("{}:{}: {}", name_, line(), message));
  }
  /// Lines are counted forward from the last place asked for, so that all calls together read the text once.
  std::int64_t line() {
    const auto place = [&](std::size_t i) {
      return text_.begin() + static_cast<std::ptrdiff_t>(std::min(i, text_.size()));
    };
    if (at_ > counted_) {
      line_ += std::count(place(counted_), place(at_), '\n');
      counted_ = at_;
    }
    return line_;
  }
  bool take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  void skip_blanks() { at_ = std::min(text_.size(), text_.find_first_not_of(blanks, at_)); }
  std::string_view until(std::string_view end, std::string_view what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail(fmt::format("{} does not end; the file is not whole", what));
    const std::string_view out = text_.substr(at_, found - at_);
    at_ = found + end.size();
    return out;
  }
  bool skip_other() {
    if (take("<!--"))
      until("-->", "a comment");
    else if (take("<![CDATA["))
      until("]]>", "a CDATA section");
    else if (take("<?"))
      until("?>", "a declaration");
    else if (take("<!"))
      until(">", "a declaration");
    else
      return false;
    return true;
  }
  void skip_to_element() {
    do skip_blanks();
    while (skip_other());
    if (!text_.substr(at_).starts_with('<')) fail("an XML element should start here");
  }
  std::string_view word() {
    const std::size_t end = std::min(text_.size(), text_.find_first_of(" \t\r\n=/><\"'", at_));
    const std::string_view out = text_.substr(at_, end - at_);
    if (out.empty()) fail("a name should stand here; the file is not XML or not whole");
    at_ = end;
    return out;
  }

  void read_attributes(XmlElement& out) {
    for (;;) {
      skip_blanks();
      if (at_ == text_.size()) fail(fmt::format("<{}> does not end; the file is not whole", shown(out.name)));
      if (text_[at_] == '>' || text_[at_] == '/') return;
      const std::string_view key = word();
      skip_blanks();
      if (!take("=")) fail(fmt::format("attribute '{}' needs a value", shown(key)));
      skip_blanks();
      const bool single = take("'");
      if (!single && !take("\"")) fail(fmt::format("the value of '{}' needs quotes", shown(key)));
      out.attributes[key] = until(single ? "'" : "\"", "a value");
    }
  }

  XmlElement element(int depth) {
    if (depth > deepest) fail("elements are nested too deeply");
    XmlElement out;
    out.line = line();
    take("<");
    out.name = word();
    read_attributes(out);
    if (take("/>")) return out;
    if (!take(">")) fail(fmt::format("<{}> does not end", shown(out.name)));
    out.text_line = line();
    if (out.name == opaque_) {
      const std::string end = fmt::format("</{}", opaque_);
      const std::size_t found = text_.rfind(end);
      if (found == std::string_view::npos || found < at_)
        fail(fmt::format("'{}>' is missing; the file is not whole", end));
      out.text = text_.substr(at_, found - at_);
      at_ = found;
    }
    const std::size_t first = at_;
    bool any = false;
    for (;;) {
      const std::size_t open = text_.find('<', at_);
      if (open == std::string_view::npos)
        fail(fmt::format("'</{}>' is missing; the file is not whole", shown(out.name)));
      at_ = open;
      if (!any && out.name != opaque_) out.text = text_.substr(first, open - first);
      any = true;
      if (take("</")) break;
      if (!skip_other()) out.children.push_back(element(depth + 1));
    }
    if (const std::string_view end = word(); end != out.name)
      fail(fmt::format("'</{}>' closes <{}>", shown(end), shown(out.name)));
    skip_blanks();
    if (!take(">")) fail(fmt::format("'</{}>' does not end", shown(out.name)));
    return out;
  }

  std::string_view text_;
  const std::string& name_;
  std::string_view opaque_;
  std::size_t at_ = 0, counted_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

const XmlElement* XmlElement::find(std::string_view child) const {
  const auto found =
      std::find_if(children.begin(), children.end(), [&](const XmlElement& c) { return c.name == child; });
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::attribute(std::string_view key, std::string_view otherwise) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? otherwise : found->second;
}

XmlElement parse_xml(std::string_view text, const std::string& name, std::string_view opaque) {
  return Parser(text, name, opaque).root();
}

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace stiffly
