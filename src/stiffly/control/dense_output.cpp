#include "stiffly/control/dense_output.hpp"

#include <algorithm>

namespace stiffly {
namespace {

/// Values and derivatives at `time` of the Lagrange polynomials of the nodes.
struct Weights {
  std::vector<double> value, slope;
  Weights(std::span<const State* const> nodes, double time) {
    for (const State* i : nodes) {
      double product = 1, sum = 0;  // of (t − t_j)/(t_i − t_j), and its derivative by the product rule
      for (const State* j : nodes) {
        if (j == i) continue;
        const double gap = i->time - j->time;
        sum = sum * (time - j->time) / gap + product / gap;
        product *= (time - j->time) / gap;
      }
      value.push_back(product);
      slope.push_back(sum);
    }
  }
};

/// The polynomial through the positions of the nodes, and its derivative.
State through_positions(std::span<const State* const> nodes, double time) {
  const Weights weights(nodes, time);
  State out(time, Vector(nodes.front()->y.size(), nodes.front()->y.backend()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    axpy(weights.value[i], nodes[i]->x(), out.x());
    axpy(weights.slope[i], nodes[i]->x(), out.v());
  }
  return out;
}

double distance(const State& a, const State& b) {
  Vector difference(a.x());
  axpy(-1.0, b.x(), difference);
  return norm(difference);
}

}  // namespace

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

State interpolate(const State& a, const State& b, std::span<const State* const> before, double time) {
  if (before.empty()) return interpolate(a, b, time);
  std::vector<const State*> nodes = {&b, &a};
  for (const State* state : before.first(std::min<std::size_t>(before.size(), 2))) nodes.push_back(state);
  const double middle = 0.5 * (a.time + b.time);
  const State by_positions = through_positions(nodes, middle);
  const State with_one_less = through_positions(std::span(nodes).first(nodes.size() - 1), middle);
  if (distance(interpolate(a, b, middle), by_positions) <= distance(by_positions, with_one_less))
    return interpolate(a, b, time);
  return through_positions(nodes, time);
}

}  // namespace stiffly
