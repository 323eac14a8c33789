// Thick segments that touch at the end of a step, or passed through each other within it.
#pragma once

#include <optional>
#include <vector>

#include "stiffly/contact/contact_sweeps.hpp"
#include "stiffly/contact/near_pairs.hpp"

namespace stiffly {

/// Nodes go straight from where a step begins to where it ends, and segments between them along. What has
/// passed through another is held on the side that it came from: its gap is measured there.
class SegmentContacts {
 public:
  /// Segments between nodes, and of each node the body: those of one body do not touch each other, unless
  /// `themselves` says so; then segments that share a node do not.
  SegmentContacts(std::vector<ThickElement> segments, std::vector<int> body, bool themselves = false);

  /// A step. Where the nodes start must outlive the calls of `add`.
  void begin(std::span<const double> start, std::span<const double> end);
  /// Contacts where the nodes now end, sorted by segments; shares are those of nodes.
  void add(std::span<const double> end, ContactSet& out);

 private:
  /// Two segments that may meet.
  struct Listed {
    int first, second;
    bool touched = true;  ///< when they were looked at last, or they never were
  };
  struct Met {
    CornerWeights weights;
    Eigen::Vector3d normal;
    double gap;
    bool crossing;
  };
  std::optional<Met> meet(const ElementPair& pair, double radii, std::span<const double> end) const;
  /// Lists the pairs of what projections have moved far anew.
  void follow(std::span<const double> end);
  bool can_touch(const std::pair<int, int>& pair) const;

  NearPairs search_;
  std::vector<int> body_;
  bool themselves_;
  double reach_;
  std::span<const double> start_;
  std::vector<double> listed_;  ///< where nodes were to end when their pairs were listed
  std::vector<double> seen_;    ///< and when these were looked at last
  std::vector<Listed> list_;
};

}  // namespace stiffly
