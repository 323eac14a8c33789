#include "stiffly/plot/render.hpp"

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <limits>

namespace stiffly {
namespace {

constexpr int samples = 3;  // per pixel and direction
constexpr Color sky = {0.972f, 0.976f, 0.982f}, floor_color = {0.902f, 0.913f, 0.928f};

Eigen::Vector3d at(const Drawing& drawing, int particle) {
  return Eigen::Vector3d::Map(drawing.positions[static_cast<std::size_t>(particle)].data());
}

/// Calls visit(x, y, weights) for every pixel whose middle lies in the triangle of projected corners; the
/// weights are barycentric.
template <class Visit>
void for_pixels(const std::array<Eigen::Vector3d, 3>& p, int width, int height, const Visit& visit) {
  const double area =
      (p[1].x() - p[0].x()) * (p[2].y() - p[0].y()) - (p[2].x() - p[0].x()) * (p[1].y() - p[0].y());
  if (!(std::abs(area) > 1e-12)) return;
  const auto [x_low, x_high] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
  const auto [y_low, y_high] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
  const auto bound = [](double v, int top) {
    return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(top)));
  };
  // Along a row the weight of a corner is start + slope · x: the row is inside where all are positive.
  constexpr double edge = -1e-9;
  std::array<double, 3> slope, start;
  for (std::size_t i = 0; i < 3; ++i) slope[i] = (p[(i + 1) % 3].y() - p[(i + 2) % 3].y()) / area;
  for (int y = bound(y_low - 0.5, height); y < bound(y_high + 1.5, height); ++y) {
    const double py = y + 0.5;
    double from = x_low - 0.5, to = x_high + 1.5;
    for (std::size_t i = 0; i < 3; ++i) {
      const Eigen::Vector3d &q = p[(i + 1) % 3], &r = p[(i + 2) % 3];
      start[i] = (q.x() * (r.y() - py) - r.x() * (q.y() - py)) / area + 0.5 * slope[i];
      if (slope[i] > 0) from = std::max(from, std::ceil((edge - start[i]) / slope[i]));
      if (slope[i] < 0) to = std::min(to, std::floor((edge - start[i]) / slope[i]) + 1);
      if (slope[i] == 0 && start[i] < edge) to = from;
    }
    for (int x = bound(from, width); x < bound(to, width); ++x)
      visit(x, y, std::array{start[0] + slope[0] * x, start[1] + slope[1] * x, start[2] + slope[2] * x});
  }
}

double weighted(const std::array<double, 3>& weights, double a, double b, double c) {
  return weights[0] * a + weights[1] * b + weights[2] * c;
}

/// Pixels with depth, `samples` times finer than the picture.
class DepthImage {
 public:
  explicit DepthImage(Image background)
      : image_(std::move(background)),
        depth_(static_cast<std::size_t>(image_.width()) * static_cast<std::size_t>(image_.height()),
               -std::numeric_limits<double>::infinity()) {}
  int width() const { return image_.width(); }
  int height() const { return image_.height(); }
  /// The colour is asked for only where it is seen.
  template <class Shade>
  void put(int x, int y, double depth, const Shade& shade) {
    double& there =
        depth_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width()) + static_cast<std::size_t>(x)];
    if (depth < there) return;
    there = depth;
    image_.at(x, y) = shade();
  }
  Image reduced() const {
    Image out(width() / samples, height() / samples, sky);
    for (int y = 0; y < out.height(); ++y)
      for (int x = 0; x < out.width(); ++x) {
        Color sum = {0, 0, 0};
        for (int j = 0; j < samples; ++j)
          for (int i = 0; i < samples; ++i)
            for (std::size_t c = 0; c < 3; ++c) sum[c] += image_.at(samples * x + i, samples * y + j)[c];
        for (float& channel : sum) channel /= samples * samples;
        out.at(x, y) = sum;
      }
    return out;
  }

 private:
  Image image_;
  std::vector<double> depth_;
};

double power_40(double x) {
  const double x4 = x * x * x * x, x8 = x4 * x4, x16 = x8 * x8;
  return x16 * x16 * x8;
}

/// One lamp above the viewer's left shoulder, light from the sky, a little gloss.
class Light {
 public:
  explicit Light(const Camera& camera) : view_(camera.towards_viewer()) {
    const Eigen::Vector3d right = Eigen::Vector3d::UnitZ().cross(view_).normalized();
    lamp_ = (0.7 * view_ + 0.8 * Eigen::Vector3d::UnitZ() - 0.55 * right).normalized();
    gloss_ = (lamp_ + view_).normalized();
  }
  Color shade(const Color& color, Eigen::Vector3d normal) const {
    // Smoothed normals may point a little away from the viewer near an outline; those are seen edge-on.
    normal -= std::min(0.0, normal.dot(view_)) * view_;
    normal.normalize();
    const double diffuse = std::max(0.0, normal.dot(lamp_));
    const double ambient = 0.36 + 0.14 * normal.z();
    const auto shine = static_cast<float>(0.25 * power_40(std::max(0.0, normal.dot(gloss_))));
    const auto bright = static_cast<float>(std::min(1.15, ambient + 0.72 * diffuse));
    return {color[0] * bright + shine, color[1] * bright + shine, color[2] * bright + shine};
  }
  /// A thin line, which shows light from all around it: brightest where the light comes across. [Kajiya and
  /// Kay 1989]
  Color shade_line(const Color& color, const Eigen::Vector3d& along) const {
    const auto across = [&](const Eigen::Vector3d& d) {
      return std::sqrt(std::max(0.0, 1 - std::pow(along.dot(d), 2)));
    };
    const auto shine = static_cast<float>(0.3 * std::pow(across(gloss_), 60));
    const auto bright = static_cast<float>(0.35 + 0.6 * across(lamp_));
    return {color[0] * bright + shine, color[1] * bright + shine, color[2] * bright + shine};
  }

 private:
  Eigen::Vector3d view_, lamp_, gloss_;
};

/// Normals of particles: those of the triangles around, by area.
std::vector<Eigen::Vector3d> normals(const Drawing& drawing) {
  std::vector<Eigen::Vector3d> out(drawing.positions.size(), Eigen::Vector3d::Zero());
  for (const auto& t : drawing.triangles) {
    const Eigen::Vector3d a = at(drawing, t[0]);
    const Eigen::Vector3d n = (at(drawing, t[1]) - a).cross(at(drawing, t[2]) - a);
    for (const int corner : t) out[static_cast<std::size_t>(corner)] += n;
  }
  return out;
}

void draw_triangles(const Drawing& drawing, const Camera& camera, DepthImage& canvas) {
  const Light light(camera);
  const std::vector<Eigen::Vector3d> normal = normals(drawing);
  for (std::size_t k = 0; k < drawing.triangles.size(); ++k) {
    const std::array<int, 3>& t = drawing.triangles[k];
    std::array<Eigen::Vector3d, 3> p;
    for (std::size_t i = 0; i < 3; ++i) p[i] = camera.project(at(drawing, t[i]));
    const auto corner = [&](std::size_t i) { return static_cast<std::size_t>(t[i]); };
    // Pixel rows run downwards: triangles whose front is seen run clockwise in pixels.
    const Eigen::Vector3d across = (p[1] - p[0]).cross(p[2] - p[0]);
    const double side = across.z() <= 0 ? 1 : -1;  // the back of a sheet is lit like its front
    if (side < 0 && k < drawing.closed) continue;
    const auto lit = [&](const std::array<double, 3>& w) {
      Color color = {0, 0, 0};
      Eigen::Vector3d n = Eigen::Vector3d::Zero();
      for (std::size_t i = 0; i < 3; ++i) {
        n += side * w[i] * normal[corner(i)];
        for (std::size_t c = 0; c < 3; ++c)
          color[c] += static_cast<float>(w[i]) * drawing.colors[corner(i)][c];
      }
      return light.shade(color, n);
    };
    // Planes cover the whole picture: light is the same all over them.
    const auto like_first = [&](std::size_t i) {
      const Eigen::Vector3d &a = normal[corner(0)], &b = normal[corner(i)];
      return a.dot(b) > (1 - 1e-12) * a.norm() * b.norm() &&
             drawing.colors[corner(i)] == drawing.colors[corner(0)];
    };
    const bool even = like_first(1) && like_first(2);
    const Color everywhere = lit({1, 0, 0});
    for_pixels(p, canvas.width(), canvas.height(), [&](int x, int y, const std::array<double, 3>& w) {
      canvas.put(x, y, weighted(w, p[0].z(), p[1].z(), p[2].z()), [&] { return even ? everywhere : lit(w); });
    });
  }
}

/// A flat band facing the viewer between two projected points, its colour from one end's to the other's.
void draw_band(const Eigen::Vector3d& p, const Eigen::Vector3d& q, double thickness, const Color& at_p,
               const Color& at_q, DepthImage& canvas) {
  const Eigen::Vector2d along = (q - p).head<2>();
  if (!(along.norm() > 1e-9)) return;
  const Eigen::Vector3d side(-along.y() / along.norm() * thickness / 2,
                             along.x() / along.norm() * thickness / 2, 0);
  const auto put = [&](const std::array<Eigen::Vector3d, 3>& corners,
                       const std::array<float, 3>& along_line) {
    for_pixels(corners, canvas.width(), canvas.height(), [&](int x, int y, const std::array<double, 3>& w) {
      canvas.put(x, y, weighted(w, corners[0].z(), corners[1].z(), corners[2].z()), [&] {
        return mix(at_p, at_q, static_cast<float>(weighted(w, along_line[0], along_line[1], along_line[2])));
      });
    });
  };
  put({p - side, p + side, q + side}, {0, 0, 1});
  put({p - side, q + side, q - side}, {0, 1, 1});
}

void draw_lines(const Drawing& drawing, const Camera& camera, double thickness, DepthImage& canvas) {
  const Color line = {0.42f, 0.45f, 0.50f};
  const auto color = [&](int i) { return mix(line, drawing.colors[static_cast<std::size_t>(i)], 0.45f); };
  for (const auto& [a, b] : drawing.lines)
    draw_band(camera.project(at(drawing, a)), camera.project(at(drawing, b)), thickness, color(a), color(b),
              canvas);
}

/// Strands differ a little in brightness, so that one is told from the next.
void draw_strands(const Drawing& drawing, const Camera& camera, double thickness, DepthImage& canvas) {
  constexpr int pieces = 5;  // from particle to particle
  const Light light(camera);
  std::uint32_t number = 0;
  for (const auto& [first, last] : drawing.strands) {
    const auto bright = 0.7f + 0.4f * static_cast<float>((number++ * 2654435761u) >> 16 & 0xff) / 255;
    const auto place = [&, a = first, b = last](int i) { return at(drawing, std::clamp(i, a, b - 1)); };
    for (int i = first; i + 1 < last; ++i) {
      const Eigen::Vector3d p0 = place(i - 1), p1 = place(i), p2 = place(i + 1), p3 = place(i + 2);
      const auto curve = [&](double t) -> Eigen::Vector3d {  // Catmull and Rom (1974)
        return p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
      };
      const auto color = [&](double t) {
        const auto speed = mix(drawing.colors[static_cast<std::size_t>(i)],
                               drawing.colors[static_cast<std::size_t>(i) + 1], static_cast<float>(t));
        const Color lit = light.shade_line(speed, (curve(t + 0.01) - curve(t - 0.01)).normalized());
        return Color{bright * lit[0], bright * lit[1], bright * lit[2]};
      };
      for (int k = 0; k < pieces; ++k) {
        const double s = static_cast<double>(k) / pieces, t = static_cast<double>(k + 1) / pieces;
        draw_band(camera.project(curve(s)), camera.project(curve(t)), thickness, color(s), color(t), canvas);
      }
    }
  }
}

void draw_balls(const Drawing& drawing, const Camera& camera, double radius, DepthImage& canvas) {
  const Light light(camera);
  const Eigen::Vector3d view = camera.towards_viewer(),
                        right = Eigen::Vector3d::UnitZ().cross(view).normalized(), up = view.cross(right);
  for (std::size_t i = 0; i < drawing.positions.size(); ++i) {
    const Eigen::Vector3d p = camera.project(at(drawing, static_cast<int>(i)));
    const auto from = [&](double v) { return std::max(0, static_cast<int>(v - radius)); };
    for (int y = from(p.y()); y < std::min(canvas.height(), static_cast<int>(p.y() + radius) + 2); ++y)
      for (int x = from(p.x()); x < std::min(canvas.width(), static_cast<int>(p.x() + radius) + 2); ++x) {
        const double dx = (x + 0.5 - p.x()) / radius, dy = (y + 0.5 - p.y()) / radius, d2 = dx * dx + dy * dy;
        if (d2 >= 1) continue;
        const double dz = std::sqrt(1 - d2);
        canvas.put(x, y, p.z() + radius * dz,
                   [&] { return light.shade(drawing.colors[i], dx * right - dy * up + dz * view); });
      }
  }
}

/// How much of the sky's light each pixel of the ground is robbed of: the drawing seen from above, blurred.
std::vector<float> shadow(const Drawing& drawing, const Camera& camera, int width, int height) {
  std::vector<float> mask(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0.0f);
  const auto index = [&](int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  };
  for (const auto& t : drawing.triangles) {
    std::array<Eigen::Vector3d, 3> p;
    for (std::size_t i = 0; i < 3; ++i) {
      Eigen::Vector3d x = at(drawing, t[i]);
      x.z() = camera.ground();
      p[i] = camera.project(x);
    }
    for_pixels(p, width, height, [&](int x, int y, const auto&) { mask[index(x, y)] = 1; });
  }
  if (drawing.triangles.empty()) return mask;
  const int radius = std::max(1, width / 40);
  const float share = 1 / static_cast<float>(2 * radius + 1);
  std::vector<float> old(mask.size()), sum(static_cast<std::size_t>(width));
  for (int pass = 0; pass < 3;
       ++pass) {  // three box blurs are nearly a Gaussian one: each row, then all columns
    old = mask;
    for (int y = 0; y < height; ++y) {
      const auto at = [&](int x) { return x >= 0 && x < width ? old[index(x, y)] : 0.0f; };
      float row_sum = 0;
      for (int x = 0; x < radius; ++x) row_sum += at(x);
      for (int x = 0; x < width; ++x)
        mask[index(x, y)] = share * (row_sum += at(x + radius) - at(x - radius - 1));
    }
    old = mask;
    std::ranges::fill(sum, 0.0f);
    const auto add_row = [&](int y, float sign) {
      if (y >= 0 && y < height)
        for (int x = 0; x < width; ++x) sum[static_cast<std::size_t>(x)] += sign * old[index(x, y)];
    };
    for (int y = 0; y < radius; ++y) add_row(y, 1);
    for (int y = 0; y < height; ++y) {
      add_row(y + radius, 1);
      add_row(y - radius - 1, -1);
      for (int x = 0; x < width; ++x) mask[index(x, y)] = share * sum[static_cast<std::size_t>(x)];
    }
  }
  return mask;
}

}  // namespace

Image render(const Drawing& drawing, const Camera& view, int width, int height, const Drawing& around) {
  Camera camera = view;
  const int fine_width = samples * width, fine_height = samples * height;
  const double margin = 0.06 * std::min(fine_width, fine_height);
  camera.fit(fine_width, fine_height, margin);
  Image background(fine_width, fine_height, sky);
  const std::vector<float> dark = shadow(drawing, camera, fine_width, fine_height);
  for (int y = 0; y < fine_height; ++y)
    for (int x = 0; x < fine_width; ++x) {
      const Color plain = mix(sky, floor_color, static_cast<float>(y) / static_cast<float>(fine_height));
      const float light =
          1 - 0.38f * dark[static_cast<std::size_t>(y) * static_cast<std::size_t>(fine_width) +
                           static_cast<std::size_t>(x)];
      background.at(x, y) = {plain[0] * light, plain[1] * light, plain[2] * light};
    }
  DepthImage canvas(std::move(background));
  draw_triangles(around, camera, canvas);
  draw_triangles(drawing, camera, canvas);
  if (!drawing.strands.empty()) {
    const double room = 0.14 * width / std::sqrt(static_cast<double>(drawing.strands.size()));
    draw_strands(drawing, camera, samples * std::clamp(room, 0.7, 3.0), canvas);
  } else if (drawing.triangles.empty()) {
    // Many particles leave less room for each.
    const double radius = std::clamp(0.18 * width / std::sqrt(static_cast<double>(drawing.positions.size())),
                                     1.2, 0.022 * width) *
                          samples;
    draw_lines(drawing, camera, std::max(1.5 * samples, 0.45 * radius), canvas);
    draw_balls(drawing, camera, radius, canvas);
  }
  return canvas.reduced();
}

}  // namespace stiffly
