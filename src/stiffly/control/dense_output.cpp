#include "stiffly/control/dense_output.hpp"

namespace stiffly {

State interpolate(const State& a, const State& b, double time) {
  const double h = b.time - a.time;
  if (time >= b.time || h <= 0) return b;
  if (time <= a.time) return a;
  const double s = (time - a.time) / h, r = 1 - s;
  State out(time, a.y);
  const VectorView x = out.x(), v = out.v();
  scale(r * r * (1 + 2 * s), x);
  axpy(s * s * (3 - 2 * s), b.x(), x);
  axpy(h * s * r * r, a.v(), x);
  axpy(-h * s * s * r, b.v(), x);
  scale(r * (1 - 3 * s), v);
  axpy(s * (3 * s - 2), b.v(), v);
  axpy(6 * s * r / h, b.x(), v);
  axpy(-6 * s * r / h, a.x(), v);
  return out;
}

}  // namespace stiffly
