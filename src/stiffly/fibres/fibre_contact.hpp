// Fibres in batches that touch each other, and what they grow on.
#pragma once

#include "stiffly/contact/segment_contacts.hpp"
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
/// within an interval is brought back to the side that it came from, and where things stay too deep in each
/// other, all fibres go back and take the interval as two. Results do not depend on the number of threads.
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
  struct Nodes {
    std::vector<double> x, v;
  };
  void step(double until, int halvings);
  void gather(Nodes& out) const;
  void find(double time, ContactSet& out);
  void add_obstacles(double time, ContactSet& out);
  /// What was put apart goes back to the fibres. Returns the energy that this takes.
  double displace(const Nodes& before, SectionMeasure& measure);

  FibreSimulation& fibres_;
  FibreContactLaw law_;
  std::vector<std::size_t> first_node_;  ///< of each fibre, and of the one after the last
  std::vector<double> inverse_mass_;
  SegmentContacts segments_;
  Nodes start_, end_;
  /// When obstacles were looked at last in this interval: where nodes were, and which fibres they touched.
  std::vector<double> looked_at_;
  std::vector<char> touched_;
  ProjectionReport report_;  ///< since the last meeting
  Seconds seconds_;
};

}  // namespace stiffly
