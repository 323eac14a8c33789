#include "stiffly/plot/canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiffly {
namespace {

std::string hex(const Color& color) {
  std::string out = "#";
  for (const float channel : color)
    out += fmt::format("{:02x}", static_cast<int>(std::lround(255 * std::clamp(channel, 0.0f, 1.0f))));
  return out;
}

}  // namespace

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

void ImageCanvas::fill(Pixel corner, double width, double height, const Color& color) {
  const auto whole = [](double v) { return static_cast<int>(std::lround(v)); };
  image_.fill_rectangle(whole(corner.x), whole(corner.y), whole(corner.x + width) - whole(corner.x),
                        whole(corner.y + height) - whole(corner.y), color);
}

SvgCanvas::SvgCanvas(int width, int height, const Color& background)
    : document_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                            "height=\"{1}\" font-family=\"sans-serif\" stroke-linecap=\"round\">\n"
                            "<rect width=\"{0}\" height=\"{1}\" fill=\"{2}\"/>\n",
                            width, height, hex(background))) {}

void SvgCanvas::stroke(Pixel from, Pixel to, double width, const Color& color) {
  document_ +=
      fmt::format("<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\" stroke-width=\"{:.3g}\"/>\n",
                  from.x, from.y, to.x, to.y, hex(color), width);
}

void SvgCanvas::fill(Pixel corner, double width, double height, const Color& color) {
  document_ +=
      fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                  corner.x, corner.y, width, height, hex(color));
}

void SvgCanvas::text(Pixel at, std::string_view text, double size, const Color& color, Align align) {
  constexpr double capital = 0.72;  // height of capitals in a font of size 1
  const char* anchor = align == Align::left ? "start" : align == Align::centre ? "middle" : "end";
  document_ += fmt::format(
      "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.3g}\" fill=\"{}\" text-anchor=\"{}\">{}</text>\n", at.x,
      at.y, size / capital, hex(color), anchor, escape_xml(text));
}

std::string SvgCanvas::take() && { return std::move(document_) + "</svg>\n"; }

}  // namespace stiffly
