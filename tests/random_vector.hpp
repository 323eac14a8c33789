// Vectors of normally distributed numbers.
#pragma once

#include <random>
#include <vector>

#include "stiffly/linalg/vector.hpp"

namespace stiffly {

inline Vector random_vector(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(n);
  for (double& v : values) v = normal(random);
  return Vector(std::span<const double>(values));
}

}  // namespace stiffly
