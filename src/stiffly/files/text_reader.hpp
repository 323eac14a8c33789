// Words of a text, one after the other, with the line they stand on: what the readers of meshes share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stiffly {

/// Words are what blanks separate. From a `#` to the end of its line all is comment; a line that ends with a
/// backslash goes on in the next.
class TextReader {
 public:
  TextReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  /// The next word, on whatever line it stands. At the end of the text: fails, saying that `wanted` is
  /// missing.
  std::string_view word(std::string_view wanted);
  /// Whether another word follows, anywhere or on the line of the last one.
  bool more();
  bool more_on_line();
  /// What is left of the line, trimmed.
  std::string_view rest_of_line();
  void skip_line();
  /// Past everything up to and including `end`; fails if it does not come.
  void skip_past(std::string_view end);

  /// A finite number, or a whole one in [least, most].
  double number(std::string_view wanted);
  std::int64_t integer(std::string_view wanted, std::int64_t least = INT64_MIN,
                       std::int64_t most = INT64_MAX);
  /// How many of something follow. Nothing may be allocated for it before the text has shown them.
  std::int64_t count(std::string_view wanted) { return integer(wanted, 0); }

  /// Throws InputError "NAME:LINE: message" for the line of the last word.
  [[noreturn]] void fail(const std::string& message) const;
  /// Line of the last word, from 1.
  std::int64_t line() const { return line_; }
  std::size_t offset() const { return at_; }
  std::string_view text() const { return text_; }
  const std::string& name() const { return name_; }

 private:
  void skip_blanks(bool across_lines);

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;  ///< of the last word
  std::int64_t here_ = 1;  ///< of at_
};

/// A word as a message may show it: short and printable.
std::string shown(std::string_view word, std::size_t longest = 40);

}  // namespace stiffly
