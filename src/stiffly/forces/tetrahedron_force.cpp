#include "stiffly/forces/tetrahedron_force.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "stiffly/error.hpp"
#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/neo_hookean.hpp"
#include "stiffly/forces/saint_venant_kirchhoff.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// With the edges D = (X_1−X_0, X_2−X_0, X_3−X_0):  V = det D/6, and g_1, g_2, g_3 are the rows of D⁻¹, g_0 =
// −Σ g_a.
template <HyperelasticMaterial Material>
TetrahedronForce<Material>::TetrahedronForce(std::span<const Tetrahedron> tetrahedra,
                                             std::span<const Point> rest, std::vector<Material> materials)
    : ElementForce(ElementAssembly(tetrahedra, rest.size(), "tetrahedron")),
      materials_(std::move(materials)) {
  if (materials_.size() != 1 && materials_.size() != tetrahedra.size())
    throw InputError(fmt::format("{} materials for {} tetrahedra: give one, or one for each",
                                 materials_.size(), tetrahedra.size()));
  shapes_.reserve(tetrahedra.size());
  for (const Tetrahedron& t : tetrahedra) {
    const auto X = [&](int a) {
      return Vector3d::Map(rest[static_cast<std::size_t>(t[static_cast<std::size_t>(a)])].data());
    };
    Matrix3d D;
    for (int a = 0; a < 3; ++a) D.col(a) = X(a + 1) - X(0);
    Element element;
    element.volume = D.determinant() / 6;
    if (!(element.volume > 0))
      throw InputError(fmt::format(
          "tetrahedron {}: its volume at rest must be positive, not {} (particles {}, {}, {}, {})",
          shapes_.size(), element.volume, t[0], t[1], t[2], t[3]));
    element.gradients.bottomRows(3) = D.inverse();
    element.gradients.row(0) = -element.gradients.bottomRows(3).colwise().sum();
    shapes_.push_back(element);
  }
}

template <HyperelasticMaterial Material>
double TetrahedronForce<Material>::energy(const Configuration& q) const {
  return elements_.sum(
      [&](std::size_t e) { return shapes_[e].volume * material(e).energy(deformation(e, q.x)); });
}

template <HyperelasticMaterial Material>
void TetrahedronForce<Material>::add_force(const Configuration& q, std::span<double> f) const {
  elements_.for_each([&](std::size_t e) {
    const Matrix3d P = material(e).stress(deformation(e, q.x));
    const Eigen::Matrix<double, 3, 4> forces = -shapes_[e].volume * P * shapes_[e].gradients.transpose();
    elements_.add_force(e, forces, f);
  });
}

// K = V Bᵀ (∂P/∂F) B, where B takes the coordinates of the corners to F.
template <HyperelasticMaterial Material>
void TetrahedronForce<Material>::add_tangent(const Configuration& q, Tangent& tangent) const {
  elements_.for_each([&](std::size_t e) {
    Eigen::Matrix<double, 9, 12> B = Eigen::Matrix<double, 9, 12>::Zero();
    for (int a = 0; a < 4; ++a)
      for (int j = 0; j < 3; ++j)
        B.block<3, 3>(3 * j, 3 * a).diagonal().setConstant(shapes_[e].gradients(a, j));
    const Matrix9d H = shapes_[e].volume * material(e).tangent(deformation(e, q.x));
    const Eigen::Matrix<double, 12, 12> K = B.transpose() * H * B;
    elements_.add_matrix(e, K, tangent.stiffness);
  });
}

template <HyperelasticMaterial Material>
std::unique_ptr<MixedElements> TetrahedronForce<Material>::mixed_elements(std::size_t free,
                                                                          const BlockPattern&) const {
  std::vector<double> gradients, volumes;
  for (const Element& element : shapes_) {
    volumes.push_back(element.volume);
    for (int a = 0; a < 4; ++a)
      for (int j = 0; j < 3; ++j) gradients.push_back(element.gradients(a, j));
  }
  using Strains = TetrahedronStrains<Material>;
  return std::make_unique<ElementStrains<Strains>>(Strains{materials_, std::move(volumes)}, elements_,
                                                   std::move(gradients), free);
}

template <HyperelasticMaterial Material>
std::vector<std::unique_ptr<Force>> TetrahedronForce<Material>::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  for (const PieceElements& piece : divided(elements_, partition)) {
    const std::size_t particles = partition.particles(out.size()).size();
    std::unique_ptr<TetrahedronForce> part(
        new TetrahedronForce(ElementAssembly(piece.corners, particles, "tetrahedron")));
    part->shapes_ = piece.of<Element>(shapes_);
    part->materials_ = materials_.size() == 1 ? materials_ : piece.of<Material>(materials_);
    out.push_back(std::move(part));
  }
  return out;
}

template class TetrahedronForce<Corotational>;
template class TetrahedronForce<SaintVenantKirchhoff>;
template class TetrahedronForce<NeoHookean>;

}  // namespace stiffly
