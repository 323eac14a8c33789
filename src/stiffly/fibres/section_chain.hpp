// How the cross-sections of a fibre give way to what pushes them.
#pragma once

#include <array>
#include <Eigen/Core>
#include <vector>

#include "stiffly/fibres/batch.hpp"

namespace stiffly {

/// A = M + (h² + hτ)K of a fibre as it is, its cross-sections taken as rigid: of each, 3 + 3 unknowns, the
/// way of its middle and the turn about it. K has all springs between cross-sections, so that what stretches
/// or shears a fibre is hard to do and what bends it is not; τ is the time of its dashpots. It is
/// block-tridiagonal, and eliminated from the tip to the root, which is held.
class SectionChain {
 public:
  using Vector3d = Eigen::Vector3d;

  SectionChain(const FibreBatch& batch, int lane, double h);

  std::size_t sections() const { return places_.size() - 1; }
  /// Ways of all middles where forces of `shares` times the unit matrix push some of them.
  std::vector<Eigen::Matrix3d> ways(std::span<const double> shares) const;
  /// How all cross-sections turn where forces on their middles alone have moved these by so much.
  std::vector<Vector3d> turns(std::span<const Vector3d> ways) const;
  /// Cross-sections that turn far lengthen springs by what K, which is of small turns, knows nothing of. From
  /// one place to another, both as ways from where the fibre was: corrects the latter by Newton's method, so
  /// that springs are as long there as K has it, as far as that makes it better.
  void settle(const SectionWay& from, SectionWay& to) const;

 private:
  using Row = Eigen::Matrix<double, 6, 1>;
  using Block = Eigen::Matrix<double, 6, 6>;
  struct Section {
    Block own = Block::Zero(), before = Block::Zero();  ///< of A, with itself and with the one before
    Block inverse, ratio;                               ///< of its pivot; and times `before`
  };
  using Arms = std::array<Vector3d, batch::corners>;
  /// Of the root, which is held, the arms alone count.
  struct Place {
    Arms arms;  ///< of the corners, from the middle
    std::array<double, batch::corners> mass;
    Vector3d step;                                 ///< to the middle from that of the one before
    std::array<double, batch::between> stiffness;  ///< of springs to the one before, times h² + hτ
  };

  /// Arms of a cross-section, or the root at 0, turned as there, or as they were.
  Arms arms(const SectionWay* at, std::size_t place) const;
  /// visit(cross-section, spring to the one before, its length, what the ways of the two change of that),
  /// with cross-sections there, or where they were.
  template <class Visit>
  void for_links(const SectionWay* at, const Visit& visit) const;
  /// A there, factorised.
  std::vector<Section> assemble(const SectionWay* at) const;
  template <class Entry>
  static void solve(std::span<const Section> A, std::vector<Entry>& y);

  std::vector<Place> places_;  ///< of the root and all cross-sections
  std::vector<Section> at_;
};

}  // namespace stiffly
