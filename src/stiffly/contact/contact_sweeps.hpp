// Contacts that are projected away: projected Gauss–Seidel.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stiffly/contact/contact_source.hpp"
#include "stiffly/contact/projection_law.hpp"

namespace stiffly {

/// Where things move when a contact is pushed: by `block` times the impulse. Sweeps read these again and
/// again, and single precision will do: what is put apart is what things then do, not what was expected of
/// them.
struct ImpulseColumn {
  int particle;
  Eigen::Matrix3f block;
};

class ContactSet;

/// A⁻¹ of the measure A, as contacts see it.
class ImpulseResponse {
 public:
  virtual ~ImpulseResponse() = default;
  /// Before `columns` of those of these that touch.
  virtual void prepare(const ContactSet& /*contacts*/) {}
  /// Where a particle belongs: what pushes one of a body may move all of it.
  virtual int body_of(int particle) const = 0;
  /// A⁻¹Jᵀ for J y = Σ share_i y_i.
  virtual std::vector<ImpulseColumn> columns(std::span<const ParticleShare> shares) = 0;
  /// Whether several threads may ask at once; of contacts that it was not prepared for, those that share no
  /// body.
  virtual bool concurrent() const { return false; }
  /// A pass has moved what its contacts push to where it now is: mends what A, being of small ways, knows
  /// nothing of.
  virtual void settle(const ContactSet& /*contacts*/, std::span<double> /*end*/) {}
};

/// All contacts of one pass.
class ContactSet {
 public:
  /// n·Σ share_i y_i ≥ target; along the surface Σ share_i y_i is drawn to `goal`, by at most μ times the
  /// push.
  struct Contact {
    Eigen::Vector3d normal, drift;
    double gap = 0;
    bool crossing = false;                    ///< it bars a way through
    bool touches = true;                      ///< or is near, and may be pushed together by others
    std::size_t first = 0, count = 0;         ///< of its shares
    double give = 0;                          ///< n·JA⁻¹Jᵀn; 0 until it is asked for
    double give_across = 0;                   ///< at least JA⁻¹Jᵀ along the surface
    std::vector<ImpulseColumn> columns = {};  ///< where masses are not the measure
    double target = 0, push = 0, most_rub = 0;
    Eigen::Vector3d goal = Eigen::Vector3d::Zero(), rub = Eigen::Vector3d::Zero();
    long seen = 0;  ///< what had moved when it was looked at
    bool acts() const { return touches || push > 0 || !rub.isZero(0); }
  };

  void clear();
  /// `drift` is the velocity of what is none of those that share, as in ContactLine.
  void add(double gap, const Eigen::Vector3d& normal, const Eigen::Vector3d& drift,
           std::span<const ParticleShare> shares, bool crossing = false);
  /// What does not touch yet.
  void add_near(double gap, const Eigen::Vector3d& normal, std::span<const ParticleShare> shares);
  void append(const ContactSet& others);

  std::vector<Contact>& contacts() { return contacts_; }
  std::span<const Contact> contacts() const { return contacts_; }
  std::size_t size() const { return contacts_.size(); }
  std::span<const ParticleShare> shares(const Contact& c) const {
    return std::span(shares_).subspan(c.first, c.count);
  }
  /// Σ share_i y_i
  Eigen::Vector3d mean(const Contact& c, std::span<const double> y) const;

 private:
  std::vector<Contact> contacts_;
  std::vector<ParticleShare> shares_;
};

/// Things that moved in a step, three numbers each, and their 1/m; 0: those that nothing moves. Masses are
/// the measure, unless there is a response.
struct ProjectedMotion {
  double h = 0;
  std::span<const double> inverse_mass;
  std::span<const double> start, start_velocity;
  std::span<double> end, velocity;
  ImpulseResponse* response = nullptr;
  /// Where there is room, of each thing: the impulses of its contacts, three numbers, are added, and the work
  /// of what is held or moves by itself, J, for one of the things that it pushes.
  std::span<double> impulse = {}, driven = {};
};

/// Adds the contacts at the end of the motion as it is, in an order that depends on nothing but the motion.
/// `moved`: things that end elsewhere than when this was asked last, each once; from the second time on,
/// contacts between others may be left out.
using FindContacts = std::function<void(std::span<const int> moved, ContactSet& out)>;
/// Is told of the contacts of a pass that did something.
using WatchContacts = std::function<void(const ContactSet& acted)>;

/// The displacement over a step, δ, is changed as little as can be, ½ δᵀAδ, such that nothing overlaps, and
/// the velocities such that things leave each other at e times the speed at which they came when the step
/// began; what rubs is held back by at most μ times what pushes without it, of both [Bridson, Fedkiw and
/// Anderson 2002; Erleben 2007]. Contacts are found anew and projected again until overlaps are below the
/// depth, or it is no use. Where masses are the measure, A = M, momentum is kept to round-off. `taken` is the
/// caller's to find.
ProjectionReport project_contacts(const ProjectedMotion& motion, const ProjectionLaw& law,
                                  const FindContacts& find, const WatchContacts& watch = {});

}  // namespace stiffly
