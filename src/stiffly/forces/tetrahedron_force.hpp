// Elastic bodies of linear tetrahedra; the material is a parameter.
#pragma once

#include "stiffly/forces/element_assembly.hpp"
#include "stiffly/linalg/matrix3.hpp"
#include "stiffly/system/elements.hpp"

namespace stiffly {

/// What a hyperelastic material has to say, as functions of the deformation gradient F = ∂x/∂X.
template <class M>
concept HyperelasticMaterial = requires(const M& material, const Eigen::Matrix3d& F) {
  { M::name } -> std::convertible_to<std::string>;
  { material.energy(F) } -> std::convertible_to<double>;           ///< ψ, per volume at rest
  { material.stress(F) } -> std::convertible_to<Eigen::Matrix3d>;  ///< P = ∂ψ/∂F
  { material.tangent(F) } -> std::convertible_to<Matrix9d>;        ///< ∂P/∂F, matrices stacked by columns
};

/// With F constant in each tetrahedron, V its volume at rest and g_a = ∂N_a/∂X the gradient of the shape
/// function of corner a: F = Σ x_a g_aᵀ, energy Σ V ψ(F), f_a = −V P g_a. [Bonet and Wood 2008; Sifakis and
/// Barbič 2012]
template <HyperelasticMaterial Material>
class TetrahedronForce final : public ElementForce {
 public:
  /// `rest` of all particles, in the inner order; one material for all or one for each tetrahedron. Throws
  /// InputError (naming the tetrahedron) where the volume at rest is not positive.
  TetrahedronForce(std::span<const Tetrahedron> tetrahedra, std::span<const Point> rest,
                   std::vector<Material> materials);

  std::string name() const override { return Material::name; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  double effort_per_pair() const override { return 2 * effort::pair; }
  std::unique_ptr<MixedElements> mixed_elements(std::size_t free, const BlockPattern& pattern) const override;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;

 private:
  explicit TetrahedronForce(ElementAssembly elements) : ElementForce(std::move(elements)) {}

  struct Element {
    Eigen::Matrix<double, 4, 3> gradients;  ///< rows g_a
    double volume;
  };
  Eigen::Matrix3d deformation(std::size_t element, std::span<const double> x) const {
    return elements_.gather<4>(element, x) * shapes_[element].gradients;
  }
  const Material& material(std::size_t element) const {
    return materials_[materials_.size() == 1 ? 0 : element];
  }

  std::vector<Element> shapes_;
  std::vector<Material> materials_;
};

}  // namespace stiffly
