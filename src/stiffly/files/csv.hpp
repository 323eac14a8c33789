// Tables of text: CSV files in.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiffly {

/// Reads comma-separated values as in RFC 4180 (quotes, CRLF, a byte-order mark), but with cells trimmed and
/// without line breaks inside them. Empty lines and lines that start with # are skipped. The first line that
/// is left goes to `header`, every other one to `row`, each with its number (from 1) in the text. Throws
/// InputError "NAME:LINE: …" for rows whose number of cells differs from the header's and for quotes that do
/// not end.
using CsvRow = std::function<void(std::span<const std::string> cells, int line)>;
void read_csv(std::string_view text, const std::string& name, const CsvRow& header, const CsvRow& row);

/// The whole of `text` as a number (or whole number); false if it is none.
bool parse_number(std::string_view text, double& out);
bool parse_integer(std::string_view text, std::int64_t& out);

}  // namespace stiffly
