// Fibres in batches that touch each other, and what they grow on.
#pragma once

#include "stiffly/contact/segment_contacts.hpp"
#include "stiffly/disjoint_sets.hpp"
#include "stiffly/fibres/section_measure.hpp"

namespace stiffly {

/// How the fibres of a system touch.
struct FibreContactLaw {
  ProjectionLaw projection;
  double radius = 0;                     ///< of all fibres, m
  bool each_other = true;                ///< whether fibres touch each other
  bool themselves = false;               ///< whether a fibre touches itself, too
  double interval = 1e-3;                ///< s: contact is looked for so often
  std::vector<Obstacle> obstacles = {};  ///< that they are put out of, as what they grow on
};

/// Fibres go their own ways between lockstep points, equal parts of the way to a meeting of about the law's
/// interval. There their centre lines, thick segments, are put apart (SegmentContacts) and out of obstacles,
/// in the measure of their masses or of their stiffness as SectionMeasure has it. What passed through another
/// within an interval is brought back to the side that it came from. Fibres that stay too deep in each other,
/// or that would have to be moved further than their measure, which is of small ways, can tell, go back with
/// all that touch them and take the interval in ever more parts. The others go straight to where they ended,
/// and are held: where that leaves no room, they go back as well. Nothing else waits for a tangle. Results do
/// not depend on the number of threads.
class FibreContact {
 public:
  /// The simulation must outlive it. Throws InputError for a law that makes no sense.
  FibreContact(FibreSimulation& fibres, std::span<const int> segments, const FibreContactLaw& law);
  /// Bytes that it and what it has the simulation keep take.
  static std::size_t memory(std::span<const int> segments);

  /// All fibres to `until`. Returns what was done on the way.
  ProjectionReport advance(double until);

  /// Where the time of all processors together went, s.
  struct Seconds {
    double fibres = 0, detection = 0, response = 0;
  };
  const Seconds& seconds() const { return seconds_; }

 private:
  /// Fibres, ascending.
  using Group = std::vector<std::size_t>;
  /// Of nodes.
  struct Motion {
    std::vector<double> x, v;
  };
  /// From one lockstep point to the next, or a part of that: nodes go straight.
  struct Way {
    Motion start, end;
    Motion free;  ///< where those of the group have gone by themselves
  };
  /// What became of a group that went it and was put apart.
  struct Stretch {
    Way& way;
    double from, until;
    const Group& group;
    PartOfWay part;                        ///< of the interval
    std::span<const double> inverse_mass;  ///< 0: held
    std::size_t first_touch;               ///< its place in touched_
    std::optional<SectionMeasure> measure = {};
    Group moved = {};                       ///< fibres that were put apart
    Group tangled = {};                     ///< what stays too deep, or was moved too far
    std::vector<std::size_t> crossed = {};  ///< a fibre for each way through that was barred
    ProjectionReport report = {};
  };
  /// What contact did to a fibre in this interval; forgotten where it goes back.
  struct Account {
    double taken = 0, driven = 0, made = 0;  ///< J, as in the report
    long crossings = 0;
  };

  void interval(double until);
  /// What is tangled goes back with all that touches it, and comes again in ever more parts until it is
  /// apart. Returns all that went back.
  Group advance_in_parts(double from, double until, Group tangled);
  /// A group goes back and comes again in so many parts; what is `tangled` then is left behind with all that
  /// touches it, and returned.
  Group go_in_parts(double from, double until, int parts, Group group, Group& tangled);
  /// With those that touched one of them.
  Group with_touching(const Group& group) const;
  /// Of a group: those that touches, from the first one to count on, tie together.
  DisjointSets sets_of(const Group& group, std::size_t first_touch) const;
  /// They are not put apart by this stretch.
  void leave_out(Stretch& stretch, const Group& fibres) const;
  void set_inverse_masses(const Group& group, bool held);
  /// They are held from now on, along straight ways to where they end.
  void go_straight(const Group& fibres);
  /// The way of a group in part k of so many of an interval of h, and that of all others.
  void place_part(const Group& group, int k, int parts, double h);
  void go(Stretch& stretch);
  /// rad/s, by contact, of any segment.
  double gained_spin(const Way& way, std::size_t fibre) const;
  void find(Stretch& stretch, std::span<const int> moved, ContactSet& out);
  void look_at(Stretch& stretch, const ContactSet& contacts);
  void note_touches(const ContactSet& acted);
  void add_obstacles(double time, std::span<const double> x, const Group& fibres, ContactSet& out);
  double beside_root(const PlacedShape& shape, const Eigen::Vector3d& root, double s) const;
  void gather(const Group& group, Motion& out) const;
  /// Fibres that were put apart are moved so.
  void displace(Stretch& stretch);
  /// What contact has made is had back from how fast those that touched move among themselves; as that may
  /// not be enough where things rest, each keeps what it owes for when it moves.
  void pay(Stretch& stretch, std::span<double> taken, std::span<const double> driven);
  Group fibres_of(std::span<const int> nodes) const;
  /// The two that meet, or one twice.
  std::pair<std::size_t, std::size_t> fibres_of(std::span<const ParticleShare> shares) const;

  FibreSimulation& fibres_;
  FibreContactLaw law_;
  std::vector<std::size_t> first_node_;  ///< of each fibre, and of the one after the last
  std::vector<std::size_t> fibre_of_node_;
  std::vector<double> inverse_mass_, inverse_mass_of_part_;  ///< where others are held
  Group everyone_;
  SegmentContacts segments_;
  Way whole_, part_;
  std::vector<std::pair<std::size_t, std::size_t>> touched_;  ///< fibres, in this interval
  std::vector<double> impulse_, driven_;                      ///< of nodes, in this stretch
  std::vector<Account> accounts_;
  ProjectionReport report_;  ///< since the last meeting
  Seconds seconds_;
};

}  // namespace stiffly
