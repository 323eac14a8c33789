// Thick segments that touch at the end of a step, or passed through each other within it.
#pragma once

#include <optional>
#include <utility>
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
  /// A part of the step begun last, in which only contacts of some bodies matter; all others go on straight,
  /// to about where they were seen last.
  void begin_part(std::span<const double> start, std::span<const double> end, std::span<const int> bodies,
                  const PartOfWay& part);
  /// In parts begun from now on these bodies are among those that go on straight.
  void go_straight(std::span<const double> start, std::span<const double> end, std::span<const int> bodies);
  /// Contacts where the nodes now end, and what is so near that it may become one, in an order that depends
  /// on nothing but the motion; shares are those of nodes. Those of bodies with a node in `moved`: all that
  /// end elsewhere than when this was asked last; when asked first, of all bodies.
  void add(std::span<const double> end, std::span<const int> moved, ContactSet& out);

 private:
  struct Met {
    CornerWeights weights;
    Eigen::Vector3d normal;
    double gap;
    bool crossing = false, touches = true;
  };
  /// Two that may meet.
  struct Listed {
    int first, second;
    /// m: they need not be looked at again until their corners together have gone further than that.
    double until = 0;
  };
  /// `clear`: by how far their corners together can move and still they do not meet.
  std::optional<Met> meet(const ElementPair& pair, double radii, std::span<const double> end,
                          double& clear) const;
  /// Where nodes go in the course of passes.
  void go(std::span<const double> end, int node);
  double gone(const ElementPair& pair) const;
  void list(std::span<const std::pair<int, int>> pairs, std::span<const double> start,
            std::span<const double> end);
  /// Lists the pairs of what projections have moved far anew.
  void follow(std::span<const double> end, std::span<const int> moved);
  /// Those that may have changed, each once.
  std::vector<int> to_look_at(std::span<const int> moved);
  /// Of these, those that must be looked at, by their elements.
  void keep_due(std::vector<int>& places) const;
  void enter(int place);
  std::vector<int> elements_of(std::span<const int> bodies) const;
  int body_of(int element) const {
    return body_[static_cast<std::size_t>(search_.elements()[static_cast<std::size_t>(element)].corners[0])];
  }
  bool can_touch(int i, int j) const { return themselves_ || body_of(i) != body_of(j); }

  NearPairs search_;
  std::vector<int> body_;
  std::vector<std::vector<int>> elements_of_node_, elements_of_body_;
  bool themselves_;
  double reach_;
  PartOfWay part_;
  std::span<const double> start_;
  std::vector<double> listed_at_;  ///< where nodes were to end when their pairs were listed
  std::vector<double> at_, gone_;  ///< where nodes ended last, and how far they went since listed
  std::vector<Listed> list_;
  std::vector<std::vector<int>> pairs_of_body_;  ///< places in the list; once it has been looked at
  std::vector<char> looked_at_;                  ///< of the list: in `to_look_at`
  bool looked_ = false;
};

}  // namespace stiffly
