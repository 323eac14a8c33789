// Scene files of listed particles, written by programs.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

namespace stiffly::app {

/// A scene file in the making.
class SceneText {
 public:
  using Point = std::array<double, 3>;

  SceneText(double duration, const Point& gravity)
      : text_(fmt::format("[simulation]\nduration = {}\ntolerance = 1e-3\ngravity = [{}, {}, {}]\n", duration,
                          gravity[0], gravity[1], gravity[2])) {}

  void particle(const Point& at, double mass, const Point& velocity = {}) {
    text_ += fmt::format("[[particle]]\nposition = [{}, {}, {}]\nmass = {}\nvelocity = [{}, {}, {}]\n", at[0],
                         at[1], at[2], mass, velocity[0], velocity[1], velocity[2]);
  }
  void pin(const Point& at) {
    text_ +=
        fmt::format("[[particle]]\nposition = [{}, {}, {}]\nmass = 1\npinned = true\n", at[0], at[1], at[2]);
  }
  void spring(std::size_t a, std::size_t b, double stiffness) {
    text_ += fmt::format("[[spring]]\nends = [{}, {}]\nstiffness = {:e}\n", a, b, stiffness);
  }
  const std::string& get() const { return text_; }

 private:
  std::string text_;
};

}  // namespace stiffly::app
