#include "stiffly/files/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/files/csv.hpp"

namespace stiffly {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

std::string shown(std::string_view word, std::size_t longest) {
  std::string out(word.substr(0, longest));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return word.size() > longest ? out + "…" : out;
}

void TextReader::fail(const std::string& message) const {
  throw InputError(fmt::format("{}:{}: {}", name_, line_, message));
}

void TextReader::skip_blanks(bool across_lines) {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.size(), text_.find('\n', at_));
    } else if (c == '\\' && text_.substr(at_ + 1).starts_with('\n')) {
      at_ += 2;
      ++here_;
    } else if (c == '\\' && text_.substr(at_ + 1).starts_with("\r\n")) {
      at_ += 3;
      ++here_;
    } else if (c == '\n') {
      if (!across_lines) return;
      ++at_;
      ++here_;
    } else if (is_blank(c)) {
      ++at_;
    } else {
      return;
    }
  }
}

bool TextReader::more() {
  skip_blanks(true);
  return at_ < text_.size();
}

bool TextReader::more_on_line() {
  skip_blanks(false);
  return at_ < text_.size() && text_[at_] != '\n';
}

std::string_view TextReader::word(std::string_view wanted) {
  const bool found = more();
  line_ = here_;
  if (!found) fail(fmt::format("the file ends where {} should follow; it is not whole", wanted));
  const std::size_t first = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '\n') ++at_;
  return text_.substr(first, at_ - first);
}

std::string_view TextReader::rest_of_line() {
  skip_blanks(false);
  line_ = here_;
  const std::size_t end = std::min(text_.size(), text_.find('\n', at_));
  std::string_view rest = text_.substr(at_, end - at_);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  at_ = end;
  return rest;
}

void TextReader::skip_line() { rest_of_line(); }

void TextReader::skip_past(std::string_view end) {
  const std::size_t found = text_.find(end, at_);
  if (found == std::string_view::npos) fail(fmt::format("'{}' is missing; the file is not whole", end));
  here_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                      text_.begin() + static_cast<std::ptrdiff_t>(found), '\n');
  at_ = found + end.size();
  line_ = here_;
}

double TextReader::number(std::string_view wanted) {
  const std::string_view found = word(wanted);
  double value = 0;
  if (!parse_number(found, value)) fail(fmt::format("{} must be a number, not '{}'", wanted, shown(found)));
  if (!std::isfinite(value)) fail(fmt::format("{} must be finite, not '{}'", wanted, shown(found)));
  return value;
}

std::int64_t TextReader::integer(std::string_view wanted, std::int64_t least, std::int64_t most) {
  const std::string_view found = word(wanted);
  std::int64_t value = 0;
  if (!parse_integer(found, value))
    fail(fmt::format("{} must be a whole number, not '{}'", wanted, shown(found)));
  if (value < least) fail(fmt::format("{} must be at least {}, not {}", wanted, least, value));
  if (value > most) fail(fmt::format("{} must be at most {}, not {}", wanted, most, value));
  return value;
}

}  // namespace stiffly
