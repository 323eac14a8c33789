// A small alphabet of strokes. Each letter is a few lines through points on a grid four wide; a point is
// written as two digits, x and y, with the base line at y = 2, small letters up to 6 and tall ones up to 8.
#include <array>
#include <string>

#include "stiffly/plot/image.hpp"

namespace stiffly {
namespace {

struct Letter {
  char name;
  const char* strokes;
};

constexpr std::array letters = std::to_array<Letter>({
    {'0', "183847433212030718"},
    {'1', "072822"},
    {'2', "07183847460242"},
    {'3', "0718384746354443321203 1535"},
    {'4', "32380444"},
    {'5', "480805354443321203"},
    {'6', "38180703123243443505"},
    {'7', "084812"},
    {'8', "15060718384746351504031232434435"},
    {'9', "45150607183847433212"},
    {'.', "2222"},
    {',', "2211"},
    {':', "2323 2626"},
    {'-', "1535"},
    {'+', "0545 2327"},
    {'=', "0444 0646"},
    {'/', "0148"},
    {'(', "38262432"},
    {')', "18262412"},
    {'*', "1636 2527"},
    {'_', "0141"},
    {'a', "16364542 441403123243"},
    {'b', "08023243453606"},
    {'c', "461605031242"},
    {'d', "48421203051646"},
    {'e', "044445361605031242"},
    {'f', "48382722 1646"},
    {'g', "461605031242 46413000"},
    {'h', "0802 06364542"},
    {'i', "2622 2828"},
    {'j', "36312010 3838"},
    {'k', "0802 460442"},
    {'l', "282332"},
    {'m', "0602 06162522 25364542"},
    {'n', "0602 06364542"},
    {'o', "163645433212030516"},
    {'p', "0600 063645433202"},
    {'q', "4640 461605031242"},
    {'r', "0602 042646"},
    {'s', "4616051434433202"},
    {'t', "28233242 1646"},
    {'u', "06031242 4642"},
    {'v', "062246"},
    {'w', "0612253246"},
    {'x', "0642 0246"},
    {'y', "0622 4610"},
    {'z', "06460242"},
});

constexpr double tall = 6;     // grid units from the base line to the top
constexpr double advance = 6;  // grid units from letter to letter

const char* strokes_of(char c) {
  if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const Letter& letter : letters)
    if (letter.name == c) return letter.strokes;
  return "";
}

/// Letters that are one stroke wide take less room.
bool narrow(char c) {
  return c == '.' || c == ',' || c == ':' || c == 'i' || c == 'l' || c == ' ' || c == '1';
}
double advance_of(char c) { return narrow(c) ? 0.6 * advance : advance; }
double shift_of(char c) { return narrow(c) && c != '1' ? -1.2 : 0; }
/// Bytes inside a UTF-8 sequence are no letters of their own.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

double text_width(std::string_view text, double size) {
  double width = 0;
  for (const char c : text)
    if (!continues(c)) width += advance_of(c) * size / tall;
  return width;
}

void draw_text(Image& image, Pixel at, std::string_view text, double size, const Color& color, Align align) {
  const double unit = size / tall;
  if (align != Align::left) at.x -= text_width(text, size) * (align == Align::centre ? 0.5 : 1);
  for (const char c : text) {
    if (continues(c)) continue;
    const char* s = strokes_of(c);
    const auto point = [&](const char* p) {
      return Pixel{at.x + (p[0] - '0' + shift_of(c)) * unit, at.y - (p[1] - '2') * unit};
    };
    for (; *s && s[1]; s += 2) {
      if (*s == ' ') ++s;
      if (s[2] && s[2] != ' ') image.stroke(point(s), point(s + 2), 0.15 * size, color);
    }
    at.x += advance_of(c) * unit;
  }
}

}  // namespace stiffly
