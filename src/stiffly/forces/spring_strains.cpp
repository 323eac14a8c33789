#include "stiffly/forces/spring_strains.hpp"

#include <algorithm>

#include "stiffly/forces/element_strains.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Strains: δ, and the rate of it where there are dashpots.
template <bool Damped>
struct SpringStrains {
  static constexpr int columns = 1, strains = Damped ? 2 : 1;
  static constexpr bool has_rates = Damped;
  using Path = ElementPath<columns, strains>;
  using Strain = typename Path::Strain;

  std::vector<SpringMaterial> materials;

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

  /// ē/L̄, not quite a unit vector; none for a spring shrunk to a point.
  Vector3d mean_direction(std::size_t e, const Path& p) const {
    const double length = 0.5 * (p.start.norm() + p.end.norm());
    return collapsed(materials[e], length) ? Vector3d::Zero().eval() : (p.mean() / length).eval();
  }

  Strain measure(std::size_t e, const Path& p) const {
    Strain out;
    out(0) = p.end.norm() - materials[e].rest_length;
    if constexpr (Damped) out(1) = mean_direction(e, p).dot(p.rate);
    return out;
  }

  double mean_pull(std::size_t e, const Path& p) const {
    const SpringMaterial& s = materials[e];
    const double before = p.start_strain(0), now = p.strain(0);
    double pull = mean_tension(s, before, now) + (p.theta - 0.5) * s.stiffness * (now - before);
    if constexpr (Damped) pull += s.damping * p.strain(1);
    return pull;
  }

  Vector3d stress(std::size_t e, const Path& p) const { return mean_pull(e, p) * mean_direction(e, p); }

  ElementTangent<1> freeze(std::size_t e, const Path& p, Frozen& frozen) const {
    const SpringMaterial& s = materials[e];
    const double length = 0.5 * (p.start.norm() + p.end.norm());
    frozen = {};
    ElementTangent<1> out{.stiffness = Matrix3d::Zero()};
    if constexpr (Damped) out.damping = Matrix3d::Zero();
    if (collapsed(s, length)) return out;
    const Vector3d mean = p.mean();
    // A spring that has turned by half a circle has no mean direction: the one that it has now.
    const Vector3d n = mean.norm() > 1e-6 * length ? mean.normalized() : p.end.normalized();
    const Matrix3d along = n * n.transpose();
    frozen.direction = n;
    frozen.stiffness(0) =
        2 * p.share * mean_tension_rate(s, p.start_strain(0), p.strain(0)) + (p.theta - 0.5) * s.stiffness;
    const double across = p.share * std::max(0.0, mean_pull(e, p) / length);
    out.stiffness = frozen.stiffness(0) * along + across * (Matrix3d::Identity() - along);
    if constexpr (Damped) {
      frozen.stiffness(1) = s.damping;
      *out.damping = s.damping * along;
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<MixedElements> spring_strains(std::vector<SpringMaterial> materials, ElementAssembly elements,
                                              std::vector<double> coefficients, std::size_t free) {
  const bool damped =
      std::any_of(materials.begin(), materials.end(), [](const auto& s) { return s.damping > 0; });
  const auto make = [&]<bool Damped>() -> std::unique_ptr<MixedElements> {
    return std::make_unique<ElementStrains<SpringStrains<Damped>>>(
        SpringStrains<Damped>{std::move(materials)}, std::move(elements), std::move(coefficients), free);
  };
  return damped ? make.template operator()<true>() : make.template operator()<false>();
}

}  // namespace stiffly
