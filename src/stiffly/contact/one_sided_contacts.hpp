// Contact within an iteration that has strains as unknowns: gaps and slips are unknowns, too.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "stiffly/contact/contact_source.hpp"
#include "stiffly/contact/local_contact.hpp"

namespace stiffly {

/// What is done about contact.
enum class ContactResponse {
  mixed,      ///< with strains as unknowns: one-sided elements; elsewhere a force like any other
  repulsion,  ///< a force like any other
};

/// A contact is one more element, whose strain is its gap d and whose law is one-sided; where it rubs, its
/// slip w is an unknown as well. The matrix has the stiffness k of the law, and the drag of friction, where
/// they were frozen, in place of the laws. What it predicts, d⁺ = g(x) + n·dx, is then corrected contact by
/// contact: with c, how far things give way to a force of 1 N there, this contact apart,
///   d − c p(d) = d⁺ − c (p(d_old) − k (d⁺ − d_old)),
/// a scalar equation with one root. So a contact that closes or opens, sticks or slips within the iteration
/// needs no new factor. Unknowns begin anew with each iteration, as what touches comes and goes.
class OneSidedContacts final : public MixedElements {
 public:
  OneSidedContacts(std::unique_ptr<ContactSource> source, const RepulsionLaw& law,
                   const FrictionLaw& friction);

  std::size_t strains() const override { return 0; }
  bool touching() const override { return true; }
  void measure(const Configuration&, std::span<double>) const override {}
  void begin(const ParticlePath& guess, const IterationScale& scale) override;
  void freeze(const ParticlePath& path, std::span<const double>, Tangent&) override;
  void add_force(const ParticlePath& path, std::span<const double>, std::span<double>,
                 std::span<double> f) const override;
  void follow(std::span<const double> dx, std::span<const double> dv, std::span<const double>,
              std::span<double>) const override;
  void add_touching_pairs(std::vector<std::pair<int, int>>& pairs) const override;
  void add_touching_tangent(Tangent& out) const override;
  void respond(const Compliance& matrix) override;
  void restart() override { answered_for_ = 0; }

 private:
  struct Contact {
    ContactSource::Key key = {};
    double start = 0;     ///< gap where the step begins
    double measured = 0;  ///< gap where the path ends
    double gap = NAN;     ///< the unknown d; NaN: not yet known
    Eigen::Vector3d slip = Eigen::Vector3d::Zero(), measured_slip = Eigen::Vector3d::Zero();
    bool active = false;    ///< whether it may push
    ContactLine line = {};  ///< in the middle of the path, of active ones
    // What the matrix has of it:
    bool frozen = false;
    ContactLine frozen_line = {};
    double stiffness = 0;
    Eigen::Matrix3d drag = Eigen::Matrix3d::Zero();
    /// How far a force of 1 N moves gap and slip, this contact apart: as the masses say, which is the most,
    /// and as the matrix says, once that was asked; below 0: not yet.
    double loose = 0, loose_slip = 0, compliance = -1, slip_compliance = -1;
  };

  MeanPush law(const Contact& contact) const { return {law_, step_, theta_, contact.start}; }
  void find(const ParticlePath& path) const;
  /// Where all contacts are on a path.
  void measure_along(const ParticlePath& path) const;
  void loosen(Contact& contact) const;
  /// The slip w with  (1 + give p grip) w = right.
  Eigen::Vector3d slip_of(const Eigen::Vector3d& right, double push, double give) const;
  Eigen::Matrix3d drag_of(const Contact& contact) const;
  /// The unknowns after a correction by dx and dv.
  void correct_gap(Contact& contact, std::span<const double> dx) const;
  void correct_slip(Contact& contact, double push_before, std::span<const double> dv) const;
  Eigen::Vector3d slip_at(const ContactLine& line, std::span<const double> v) const;
  /// The change of the gap over that along the normal: with it, what a push does is what U loses.
  double stretch(const Contact& contact, const ParticlePath& path) const;

  std::unique_ptr<ContactSource> source_;
  RepulsionLaw law_;
  FrictionLaw friction_;
  IterationScale scale_;
  double answered_for_ = 0;  ///< scale of positions when compliances were asked for
  std::size_t free_ = 0;
  bool step_ = false;
  double theta_ = 0.5;
  mutable std::vector<Contact> contacts_;          ///< sorted by key
  mutable std::vector<double> found_at_, middle_;  ///< of all particles
  mutable double wander_ = 0;
  const Compliance* matrix_ = nullptr;
};

}  // namespace stiffly
