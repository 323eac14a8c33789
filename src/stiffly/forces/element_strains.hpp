// Loops over elements whose strains are unknowns beside the positions; what an element does is a parameter.
#pragma once

#include <optional>

#include "stiffly/forces/element_assembly.hpp"

namespace stiffly {

/// An element over a step. All it knows of the particles is a = Σ x_i c_iᵀ, 3×Columns: the vector between the
/// ends of a spring, the deformation gradient of a tetrahedron. A stage is a step that ends where it begins:
/// means are then the values there, and a `share` of 1 of the mean moves with the end, not ½.
template <int Columns, int Strains>
struct ElementPath {
  using Gradient = Eigen::Matrix<double, 3, Columns>;
  using Strain = Eigen::Matrix<double, Strains, 1>;
  Gradient start, end, rate;  ///< a, a and mean ȧ
  Strain start_strain, strain;
  double share, theta;

  Gradient mean() const { return 0.5 * (start + end); }
  Strain mean_strain() const { return 0.5 * (start_strain + strain); }
};

/// Matrices that take one column after the other of ∂a to the force on a.
template <int Columns>
struct ElementTangent {
  static constexpr int size = 3 * Columns;
  Eigen::Matrix<double, size, size> stiffness;
  std::optional<Eigen::Matrix<double, size, size>> damping = {};
};

/// What elements of one kind do, as functions of the number e of an element:
///   Strain measure(e, path)      ε at the end of the path
///   Gradient stress(e, path)     P: the work of the forces is −P:∂a
///   freeze(e, path, frozen)      the tangent ∂P/∂a, and B and D
/// and of what is frozen:
///   Strain strain(da, dȧ)        B(da, dȧ)
///   Gradient stress(strain)      BᵀD times a strain
template <class Law>
class ElementStrains final : public MixedElements {
 public:
  static constexpr int columns = Law::columns, count = Law::strains;
  using Path = ElementPath<columns, count>;
  using Gradient = typename Path::Gradient;
  using Strain = typename Path::Strain;

  /// `coefficients` has the c_i of all corners of all elements, one row after the other.
  ElementStrains(Law law, ElementAssembly elements, std::vector<double> coefficients, std::size_t free)
      : law_(std::move(law)),
        elements_(std::move(elements)),
        coefficients_(std::move(coefficients)),
        frozen_(elements_.size()),
        free_(free) {}

  std::size_t strains() const override { return elements_.size() * count; }

  void measure(const Configuration& q, std::span<double> strain) const override {
    for_chunks<chunk>(elements_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t e = first; e < last; ++e) {
        const Gradient a = combine(e, q.x);
        at(strain, e) = law_.measure(e, {a, a, combine(e, q.v), {}, {}, 1, 0.5});
      }
    });
  }

  void freeze(const ParticlePath& particles, std::span<const double> strain, Tangent& out) override {
    elements_.for_each([&](std::size_t e) {
      const ElementTangent<columns> tangent = law_.freeze(e, path(e, particles, strain), frozen_[e]);
      add_matrix(e, tangent.stiffness, out.stiffness);
      if (tangent.damping) add_matrix(e, *tangent.damping, out.damping);
    });
  }

  void add_force(const ParticlePath& particles, std::span<const double> strain, std::span<double> gap,
                 std::span<double> f) const override {
    elements_.for_each([&](std::size_t e) {
      const Path p = path(e, particles, strain);
      const Strain kappa = law_.measure(e, p) - p.strain;
      at(gap, e) = kappa;
      const Gradient P = law_.stress(e, p) + frozen_[e].stress(kappa);
      const auto corners = elements_.corners(e);
      for (std::size_t i = 0; i < corners.size(); ++i)
        if (is_free(corners[i]))
          Eigen::Map<Eigen::Vector3d>(f.data() + 3 * corners[i]) -= P * coefficient(e, i).transpose();
    });
  }

  void follow(std::span<const double> dx, std::span<const double> dv, std::span<const double> gap,
              std::span<double> strain) const override {
    for_chunks<chunk>(elements_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t e = first; e < last; ++e)
        at(strain, e) += at(gap, e) + frozen_[e].strain(combine(e, dx), combine(e, dv));
    });
  }

 private:
  static constexpr std::size_t chunk = 64;
  using Row = Eigen::Map<const Eigen::Matrix<double, 1, columns>>;

  bool is_free(int particle) const { return static_cast<std::size_t>(particle) < free_; }
  Row coefficient(std::size_t e, std::size_t corner) const {
    const auto i = static_cast<std::size_t>(elements_.corners(e).data() - elements_.corners(0).data());
    return Row(coefficients_.data() + (i + corner) * columns);
  }
  static Eigen::Map<Strain> at(std::span<double> strain, std::size_t e) {
    return Eigen::Map<Strain>(strain.data() + e * count);
  }
  static Eigen::Map<const Strain> at(std::span<const double> strain, std::size_t e) {
    return Eigen::Map<const Strain>(strain.data() + e * count);
  }
  /// Σ x_i c_iᵀ over the particles that x has: all of them, or the free ones.
  Gradient combine(std::size_t e, std::span<const double> x) const {
    Gradient a = Gradient::Zero();
    const auto corners = elements_.corners(e);
    for (std::size_t i = 0; i < corners.size(); ++i)
      if (static_cast<std::size_t>(3 * corners[i]) < x.size())
        a += Eigen::Map<const Eigen::Vector3d>(x.data() + 3 * corners[i]) * coefficient(e, i);
    return a;
  }
  Path path(std::size_t e, const ParticlePath& particles, std::span<const double> strain) const {
    Path p;
    p.end = combine(e, particles.end.x);
    p.rate = Law::has_rates ? combine(e, particles.end.v) : Gradient::Zero();
    p.strain = at(strain, e);
    const bool step = particles.is_step();
    p.start = step ? combine(e, particles.start) : p.end;
    p.start_strain = step ? at(particles.start_strain, e) : p.strain;
    p.share = step ? 0.5 : 1;
    p.theta = step ? particles.theta : 0.5;
    return p;
  }
  template <class Local>
  void add_matrix(std::size_t e, const Local& local, BlockMatrix& matrix) const {
    elements_.add_blocks(
        e,
        [&](auto a, auto b) {
          const Row ca = coefficient(e, static_cast<std::size_t>(a)),
                    cb = coefficient(e, static_cast<std::size_t>(b));
          Eigen::Matrix3d block = Eigen::Matrix3d::Zero();
          for (int i = 0; i < columns; ++i)
            for (int j = 0; j < columns; ++j)
              block += ca(i) * cb(j) * local.template block<3, 3>(3 * i, 3 * j);
          return block;
        },
        matrix);
  }

  Law law_;
  ElementAssembly elements_;
  std::vector<double> coefficients_;
  std::vector<typename Law::Frozen> frozen_;
  std::size_t free_;
};

}  // namespace stiffly
