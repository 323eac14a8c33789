// Networks of girders, stiff against stretching and against turning at their joints.
#pragma once

#include "stiffly/forces/girder_strains.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/system/elements.hpp"

namespace stiffly {

struct Girder {
  int first = 0, second = 0;  ///< particles, its joints
  double axial = 0;           ///< k, stiffness along it, N/m
  double bending = 0;         ///< b ≤ k, stiffness across it against the frames of its joints, N/m
};

/// The co-rotational network of paper 000, §4.3: forces are RK(R⁻¹x − x₀), where K has for each girder k
/// along it and b across. The part k − b of the axial stiffness turns with the girder, and so is a spring;
/// the part b in all directions turns with the joints: with e the girder as seen from joint i and e₀ at rest,
///   E_i = Σ b/4 |e − R_i e₀|²,  R_i the rotation for which this is least, the polar factor of Σ b e e₀ᵀ.
/// As E_i is stationary in R_i, the force b/2 (e − R_i e₀) derives from it although R_i turns. [Müller et al.
/// 2002 for a rotation at every particle; Sorkine and Alexa 2007 for this energy] A straight run of girders
/// of length l bends like a beam with EI = b l³/4 and does not resist torsion; frames do.
class Girders final : public Force {
 public:
  /// `rest` of all particles, in the inner order. Throws InputError (naming the girder) on ends that are no
  /// particles or coincide, and unless 0 ≤ b ≤ k are finite.
  Girders(std::span<const Girder> girders, std::span<const Point> rest);
  /// What turns with a girder yields, the part b does not.
  std::unique_ptr<Force> yielding(const PlasticLaw& law) const override;
  void add_history(std::vector<double>& out) const override { springs_->add_history(out); }
  std::span<const double> recall(std::span<const double> history) override {
    return springs_->recall(history);
  }
  bool settle(const Configuration& q) override { return springs_->settle(q); }
  PlasticWork plastic_work() const override { return springs_->plastic_work(); }

  std::string name() const override { return "girders"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const override;
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  double effort_per_pair() const override { return 2 * effort::pair; }
  std::unique_ptr<MixedElements> mixed_elements(std::size_t free, const BlockPattern& pattern) const override;

  /// Each as the spring that it is along its length.
  std::span<const Spring> along() const { return along_; }

 private:
  /// e, as columns.
  Eigen::Matrix3Xd spokes(std::size_t joint, std::span<const double> x) const;

  Girders(const Girders& elastic, const PlasticLaw& law);

  std::shared_ptr<Force> springs_;  ///< the part k − b
  std::vector<Spring> along_;
  ElementAssembly joints_;  ///< a joint is an element: its own particle first, then the other ends
  std::vector<GirderJoint> shapes_;
};

}  // namespace stiffly
