// Something to draw on. What was drawn becomes a PNG, SVG or PDF file, by Cairo.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiffly/plot/image.hpp"

namespace stiffly {

/// Lengths and places are in pixels of a screen at 100 %: x to the right, y down.
struct Pixel {
  double x = 0, y = 0;
};

struct Rectangle {
  double x = 0, y = 0, width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Pixel centre() const { return {x + width / 2, y + height / 2}; }
};

struct Pen {
  Color color = {0, 0, 0};
  double width = 1;
  std::vector<double> dashes = {};  ///< lengths of dash and gap by turns; empty: a whole line
};

struct Font {
  double size = 12;  ///< of the em, in pixels; capitals are about 0.73 of it high
  bool bold = false;
};
/// Those of every picture.
inline const Font title_font{16, true}, label_font{12}, small_font{11};

enum class Align { left, centre, right };

/// Written text, and the place its ink takes.
struct Label {
  std::string text;
  Rectangle box;
};

class Canvas {
 public:
  Canvas(double width, double height, const Color& background);
  Canvas(Canvas&&) noexcept;
  Canvas& operator=(Canvas&&) noexcept;
  ~Canvas();

  double width() const { return width_; }
  double height() const { return height_; }

  /// The line through all points, in their order.
  void line(std::span<const Pixel> points, const Pen& pen);
  void line(Pixel from, Pixel to, const Pen& pen) { line(std::array{from, to}, pen); }
  /// The area inside the points.
  void fill(std::span<const Pixel> points, const Color& color);
  void fill(const Rectangle& area, const Color& color);
  /// Stretched over the area, each pixel as a sharp square.
  void image(const Image& pixels, const Rectangle& area);
  /// UTF-8, on one line; `at` is the left end, centre or right end of the base line. Bytes that are no UTF-8
  /// are shown as U+FFFD.
  void text(Pixel at, std::string_view text, const Font& font, const Color& color, Align align = Align::left);

  /// All that was written, in the order of writing.
  const std::vector<Label>& labels() const { return labels_; }

 private:
  friend Image rasterize(const Canvas&, double);
  friend std::string encode_png(const Canvas&, double);
  friend std::string encode_svg(const Canvas&);
  friend std::string encode_pdf(const Canvas&);
  struct Recording;

  double width_, height_;
  std::unique_ptr<Recording> recording_;
  std::vector<Label> labels_;
};

/// How far the text reaches from its start to where the next would start.
double text_width(std::string_view text, const Font& font);

/// `density` pixels of the image for each of the canvas.
Image rasterize(const Canvas& canvas, double density = 1);

/// The bytes of files. Letters are outlines in SVG files; the text stands in their <desc>.
std::string encode_png(const Canvas& canvas, double density = 1.5);
std::string encode_svg(const Canvas& canvas);
std::string encode_pdf(const Canvas& canvas);

}  // namespace stiffly
