#include "stiffly/forces/spring_strains.hpp"

#include <algorithm>

#include "stiffly/forces/element_strains.hpp"
#include "stiffly/forces/plastic_spring.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Strains: δ, and the rate of it where there are dashpots.
template <class Materials, bool Damped>
struct SpringStrains {
  static constexpr int columns = 1, strains = Damped ? 2 : 1;
  static constexpr bool has_rates = Damped;
  using Path = ElementPath<columns, strains>;
  using Strain = typename Path::Strain;

  Materials materials;

  /// n_f, and D along it: ∂P/∂δ₁ and d.
  struct Frozen {
    Vector3d direction = Vector3d::Zero();
    Strain stiffness = Strain::Zero();

    Strain strain(const Vector3d& da, const Vector3d& rate) const {
      Strain out;
      out(0) = direction.dot(da);
      if constexpr (Damped) out(1) = direction.dot(rate);
      return out;
    }
    Vector3d stress(const Strain& strain) const { return stiffness.dot(strain) * direction; }
  };

  /// L̄, from the strains: lengths of a body that was moved along its velocities, as at the start of an
  /// iteration, differ from spring to spring by how it turns. Divided by these, all ē of a turning body are
  /// the same linear map of unit vectors, and stresses within it that were in equilibrium are still.
  double mean_length(std::size_t e, const Path& p) const {
    const double actual = 0.5 * (p.start.norm() + p.end.norm());
    if (collapsed(materials[e], actual)) return 0;
    return std::clamp(materials[e].rest_length + p.mean_strain()(0), 0.5 * actual, 2 * actual);
  }

  /// ē/L̄, not quite a unit vector; none for a spring shrunk to a point.
  Vector3d mean_direction(std::size_t e, const Path& p) const {
    const double length = mean_length(e, p);
    return length > 0 ? (p.mean() / length).eval() : Vector3d::Zero().eval();
  }

  Strain measure(std::size_t e, const Path& p) const {
    Strain out;
    out(0) = p.end.norm() - materials[e].rest_length;
    if constexpr (Damped) {
      const double length = 0.5 * (p.start.norm() + p.end.norm());
      out(1) = collapsed(materials[e], length) ? 0 : p.mean().dot(p.rate) / length;
    }
    return out;
  }

  double mean_pull(std::size_t e, const Path& p) const {
    const auto& s = materials[e];
    const double before = p.start_strain(0), now = p.strain(0);
    double pull = mean_tension(s, before, now) + (p.theta - 0.5) * s.stiffness * (now - before);
    if constexpr (Damped) pull += s.damping * p.strain(1);
    return pull;
  }

  Vector3d stress(std::size_t e, const Path& p) const { return mean_pull(e, p) * mean_direction(e, p); }

  ElementTangent<1> freeze(std::size_t e, const Path& p, Frozen& frozen) const {
    const auto& s = materials[e];
    frozen = {};
    ElementTangent<1> out{.stiffness = Matrix3d::Zero()};
    if constexpr (Damped) out.damping = Matrix3d::Zero();
    const double length = mean_length(e, p);
    if (length == 0) return out;
    const Vector3d n = mean_direction(e, p);
    const Matrix3d along = n * n.transpose();
    frozen.direction = n;
    frozen.stiffness(0) =
        2 * p.share * mean_tension_rate(s, p.start_strain(0), p.strain(0)) + (p.theta - 0.5) * s.stiffness;
    const double across = p.share * std::max(0.0, mean_pull(e, p) / length);
    out.stiffness = (frozen.stiffness(0) - across) * along + across * Matrix3d::Identity();
    if constexpr (Damped) {
      frozen.stiffness(1) = s.damping;
      *out.damping = s.damping * along;
    }
    return out;
  }
};

template <class Materials>
std::unique_ptr<MixedElements> strains_of(Materials materials, ElementAssembly elements,
                                          std::vector<double> coefficients, std::size_t free) {
  const bool damped =
      std::any_of(materials.begin(), materials.end(), [](const auto& s) { return s.damping > 0; });
  const auto make = [&]<bool Damped>() -> std::unique_ptr<MixedElements> {
    using Law = SpringStrains<Materials, Damped>;
    return std::make_unique<ElementStrains<Law>>(Law{std::move(materials)}, std::move(elements),
                                                 std::move(coefficients), free);
  };
  return damped ? make.template operator()<true>() : make.template operator()<false>();
}

}  // namespace

std::unique_ptr<MixedElements> spring_strains(std::vector<SpringMaterial> materials, ElementAssembly elements,
                                              std::vector<double> coefficients, std::size_t free) {
  return strains_of(std::move(materials), std::move(elements), std::move(coefficients), free);
}

std::unique_ptr<MixedElements> spring_strains(std::span<const PlasticSpring> springs,
                                              ElementAssembly elements, std::vector<double> coefficients,
                                              std::size_t free) {
  return strains_of(springs, std::move(elements), std::move(coefficients), free);
}

}  // namespace stiffly
