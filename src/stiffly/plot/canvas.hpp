// Something to draw on: pixels, or the elements of an SVG document.
#pragma once

#include <string>
#include <string_view>

#include "stiffly/plot/image.hpp"

namespace stiffly {

class Canvas {
 public:
  virtual ~Canvas() = default;
  /// A line with round ends; a dot where both ends are the same.
  virtual void stroke(Pixel from, Pixel to, double width, const Color& color) = 0;
  /// A filled rectangle; in pixels its edges are rounded to whole ones.
  virtual void fill(Pixel corner, double width, double height, const Color& color) = 0;
  /// As the function draw_text.
  virtual void text(Pixel at, std::string_view text, double size, const Color& color, Align align) = 0;
};

class ImageCanvas final : public Canvas {
 public:
  ImageCanvas(int width, int height, const Color& background) : image_(width, height, background) {}
  void stroke(Pixel from, Pixel to, double width, const Color& color) override {
    image_.stroke(from, to, width, color);
  }
  void fill(Pixel corner, double width, double height, const Color& color) override;
  void text(Pixel at, std::string_view text, double size, const Color& color, Align align) override {
    draw_text(image_, at, text, size, color, align);
  }
  Image take() && { return std::move(image_); }

 private:
  Image image_;
};

class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(int width, int height, const Color& background);
  void stroke(Pixel from, Pixel to, double width, const Color& color) override;
  void fill(Pixel corner, double width, double height, const Color& color) override;
  void text(Pixel at, std::string_view text, double size, const Color& color, Align align) override;
  std::string take() &&;

 private:
  std::string document_;
};

/// With the five signs that mean something in XML and HTML replaced.
std::string escape_xml(std::string_view text);

}  // namespace stiffly
