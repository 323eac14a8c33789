#include "stiffly/plot/canvas.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "stiffly/error.hpp"
#include "stiffly/files/xml.hpp"

namespace stiffly {
namespace {

template <auto destroy>
struct Destroy {
  void operator()(auto* object) const { destroy(object); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Destroy<cairo_destroy>>;

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw FileError(fmt::format("a picture could not be drawn: {}", cairo_status_to_string(status)));
}

void set_color(cairo_t* to, const Color& color) { cairo_set_source_rgb(to, color[0], color[1], color[2]); }

void trace(cairo_t* to, std::span<const Pixel> points, const Color& color) {
  set_color(to, color);
  cairo_new_path(to);
  for (const Pixel& p : points) cairo_line_to(to, p.x, p.y);
}

/// The same widths on paper, screen and in SVG: without fitting letters to pixels.
void set_font(cairo_t* to, const Font& font) {
  const std::unique_ptr<cairo_font_options_t, Destroy<cairo_font_options_destroy>> options(
      cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_select_font_face(to, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(to, font.size);
  cairo_set_font_options(to, options.get());
}

cairo_text_extents_t extents(const Font& font, const std::string& text) {
  const Surface nowhere(cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, nullptr));
  const Context to(cairo_create(nowhere.get()));
  set_font(to.get(), font);
  cairo_text_extents_t out;
  cairo_text_extents(to.get(), text.c_str(), &out);
  check(cairo_status(to.get()));
  return out;
}

/// How many bytes of UTF-8 the text begins with for one printable character; 0: none that is valid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  unsigned code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = code < (length == 4 ? 0x10000u : length == 3 ? 0x800u : 0x80u);
  const bool forbidden = (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF || (code & 0xFFFE) == 0xFFFE;
  return overlong || forbidden ? 0 : length;
}

/// What Cairo and XML take: all else replaced.
std::string valid_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    out += length > 0 ? text.substr(0, length) : std::string_view("\uFFFD");
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

cairo_status_t append(void* to, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

Surface pixel_surface(int width, int height) {
  Surface out(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  check(cairo_surface_status(out.get()));
  return out;
}

/// Row y of an image surface: 0x00RRGGBB each.
std::uint32_t* row(cairo_surface_t* surface, int y) {
  return reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(surface) +
                                          static_cast<std::ptrdiff_t>(y) *
                                              cairo_image_surface_get_stride(surface));
}

}  // namespace

struct Canvas::Recording {
  std::vector<std::function<void(cairo_t*)>> strokes;

  void add(auto stroke) { strokes.emplace_back(std::move(stroke)); }
  /// Everything once more, on that surface.
  void replay(cairo_surface_t* surface, double density = 1) const {
    const Context to(cairo_create(surface));
    cairo_scale(to.get(), density, density);
    for (const auto& stroke : strokes) stroke(to.get());
    cairo_show_page(to.get());
    check(cairo_status(to.get()));
  }
  Surface pixels(const Canvas& canvas, double density) const {
    Surface out = pixel_surface(static_cast<int>(std::ceil(density * canvas.width())),
                                static_cast<int>(std::ceil(density * canvas.height())));
    replay(out.get(), density);
    return out;
  }
};

Canvas::Canvas(double width, double height, const Color& background)
    : width_(width), height_(height), recording_(std::make_unique<Recording>()) {
  recording_->add([=](cairo_t* to) {
    set_color(to, background);
    cairo_paint(to);
  });
}
Canvas::Canvas(Canvas&&) noexcept = default;
Canvas& Canvas::operator=(Canvas&&) noexcept = default;
Canvas::~Canvas() = default;

void Canvas::line(std::span<const Pixel> points, const Pen& pen) {
  recording_->add([path = std::vector(points.begin(), points.end()), pen](cairo_t* to) {
    trace(to, path, pen.color);
    cairo_set_line_width(to, pen.width);
    cairo_set_dash(to, pen.dashes.data(), static_cast<int>(pen.dashes.size()), 0);
    cairo_set_line_cap(to, pen.dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
    cairo_set_line_join(to, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(to);
  });
}

void Canvas::fill(std::span<const Pixel> points, const Color& color) {
  recording_->add([path = std::vector(points.begin(), points.end()), color](cairo_t* to) {
    trace(to, path, color);
    cairo_fill(to);
  });
}

void Canvas::fill(const Rectangle& area, const Color& color) {
  const double right = area.right(), bottom = area.bottom();
  fill(std::array<Pixel, 4>{{{area.x, area.y}, {right, area.y}, {right, bottom}, {area.x, bottom}}}, color);
}

void Canvas::image(const Image& pixels, const Rectangle& area) {
  const std::shared_ptr<cairo_surface_t> surface = pixel_surface(pixels.width(), pixels.height());
  cairo_surface_flush(surface.get());
  for (int y = 0; y < pixels.height(); ++y)
    for (int x = 0; x < pixels.width(); ++x) {
      std::uint32_t packed = 0;
      for (const float channel : pixels.at(x, y))
        packed = packed << 8 | static_cast<std::uint32_t>(std::lround(255 * std::clamp(channel, 0.f, 1.f)));
      row(surface.get(), y)[x] = packed;
    }
  cairo_surface_mark_dirty(surface.get());
  recording_->add([surface, area, width = pixels.width(), height = pixels.height()](cairo_t* to) {
    cairo_save(to);
    cairo_translate(to, area.x, area.y);
    cairo_scale(to, area.width / width, area.height / height);
    cairo_set_source_surface(to, surface.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(to), CAIRO_FILTER_NEAREST);
    cairo_rectangle(to, 0, 0, width, height);
    cairo_fill(to);
    cairo_restore(to);
  });
}

void Canvas::text(Pixel at, std::string_view given, const Font& font, const Color& color, Align align) {
  const std::string text = valid_text(given);
  if (text.empty()) return;
  const cairo_text_extents_t size = extents(font, text);
  if (align != Align::left) at.x -= size.x_advance * (align == Align::centre ? 0.5 : 1);
  recording_->add([=](cairo_t* to) {
    set_color(to, color);
    set_font(to, font);
    cairo_move_to(to, at.x, at.y);
    cairo_show_text(to, text.c_str());
  });
  labels_.push_back({text, {at.x + size.x_bearing, at.y + size.y_bearing, size.width, size.height}});
}

double text_width(std::string_view text, const Font& font) {
  return extents(font, valid_text(text)).x_advance;
}

Image rasterize(const Canvas& canvas, double density) {
  const Surface surface = canvas.recording_->pixels(canvas, density);
  cairo_surface_flush(surface.get());
  Image out(cairo_image_surface_get_width(surface.get()), cairo_image_surface_get_height(surface.get()), {});
  for (int y = 0; y < out.height(); ++y)
    for (int x = 0; x < out.width(); ++x)
      for (unsigned c = 0; c < 3; ++c)
        out.at(x, y)[c] = static_cast<float>(row(surface.get(), y)[x] >> (16 - 8 * c) & 0xFF) / 255;
  return out;
}

std::string encode_png(const Canvas& canvas, double density) {
  std::string out;
  const Surface surface = canvas.recording_->pixels(canvas, density);
  check(cairo_surface_write_to_png_stream(surface.get(), append, &out));
  return out;
}

std::string encode_svg(const Canvas& canvas) {
  std::string out;
  const Surface surface(cairo_svg_surface_create_for_stream(append, &out, canvas.width(), canvas.height()));
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  canvas.recording_->replay(surface.get());
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
  std::string words = "\n<desc>";
  for (const Label& label : canvas.labels()) words += escape_xml(label.text) + "\n";
  return out.insert(out.find('>', out.find("<svg")) + 1, words + "</desc>");
}

std::string encode_pdf(const Canvas& canvas) {
  std::string out;
  const Surface surface(cairo_pdf_surface_create_for_stream(append, &out, canvas.width(), canvas.height()));
  canvas.recording_->replay(surface.get());
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
  return out;
}

}  // namespace stiffly
