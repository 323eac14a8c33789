// The scale of an axis: where values go, and which of them are marked.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stiffly {

/// In few digits: "0.25", "9.5×10⁻⁷".
std::string number_text(double value, int digits = 4);

struct Tick {
  double value = 0;
  std::string label;  ///< empty: a short stroke between those with numbers
};

class Axis {
 public:
  explicit Axis(bool logarithmic) : logarithmic_(logarithmic) {}

  /// A result that does not exist: of what failed.
  static bool failed(double value) { return value > largest; }
  /// Whether the value has a place: a number, and positive on a logarithmic axis.
  bool shows(double value) const;
  /// Widens the axis to the value, if it can be shown.
  void include(double value);
  /// 0 … 1, from the lower end to the upper one; there is a little room around all values.
  double place(double value) const;
  /// Round values in their order, at most `most` (one at least) of them with labels.
  std::vector<Tick> ticks(int most) const;

 private:
  static constexpr double largest = 1e300;

  double scaled(double value) const;
  std::pair<double, double> ends() const;

  bool logarithmic_;
  bool empty_ = true;
  double low_ = 0, high_ = 0;  ///< logarithms on a logarithmic axis
};

}  // namespace stiffly
