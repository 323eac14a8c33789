// A short damped chain, small enough for dense functions of its Jacobian.
#pragma once

#include <cmath>
#include <memory>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "stiffly/scene/chain.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly {

struct Oscillators {
  std::unique_ptr<ParticleSystem> system =
      make_chain_system({.particles = 8, .stiffness = 1e3, .damping = 0.1});
  Tangent tangent;
  std::unique_ptr<OscillatorJacobian> J;

  Oscillators() {
    const State state = system->initial_state();
    system->tangent(0, state.x(), state.v(), tangent);
    J = std::make_unique<OscillatorJacobian>(system->mass(), tangent, 0.0, system->counters());
  }

  Eigen::MatrixXd dense() const {
    const std::size_t size = J->size();
    Eigen::MatrixXd out(size, size);
    for (std::size_t j = 0; j < size; ++j) {
      Vector unit(size), column(size);
      host(unit)[j] = 1;
      J->apply(unit, column);
      for (std::size_t i = 0; i < size; ++i)
        out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = host(column)[i];
    }
    return out;
  }

  /// Some vector with all modes in it.
  Vector start() const {
    Vector out(J->size());
    for (std::size_t i = 0; i < out.size(); ++i) host(out)[i] = std::sin(1.0 + 3.0 * static_cast<double>(i));
    return out;
  }

  /// ‖value − e^{tJ} start‖ / ‖e^{tJ} start‖
  double exponential_error(double t, const Vector& value) const {
    const auto eigen = [](const Vector& x) {
      return Eigen::Map<const Eigen::VectorXd>(host(x).data(), static_cast<Eigen::Index>(x.size()));
    };
    const Vector b = start();
    const Eigen::VectorXd exact = (t * dense()).exp() * eigen(b);
    return (eigen(value) - exact).norm() / exact.norm();
  }
};

}  // namespace stiffly
