// Adding up what elements of several particles contribute, by threads and in one order.
#pragma once

#include <Eigen/Core>

#include "stiffly/linalg/parallel.hpp"
#include "stiffly/system/force.hpp"

namespace stiffly {

/// Which particles belong to which element, and where their blocks are. Elements are coloured so that no two
/// of one colour share a free particle: within a colour threads add freely, and as colours follow each other
/// every sum has one order, whatever the number of threads.
class ElementAssembly {
 public:
  /// `elements` is a range of ranges of particles. Throws InputError ("KIND NUMBER: …") where a corner is not
  /// one of the `particles` or comes twice.
  template <class Elements>
  ElementAssembly(const Elements& elements, std::size_t particles, const std::string& kind) {
    for (const auto& corners : elements) add(corners, particles, kind);
  }

  std::size_t size() const { return starts_.size() - 1; }
  std::span<const int> corners(std::size_t element) const {
    return {corners_.data() + starts_[element], corners_.data() + starts_[element + 1]};
  }
  /// All pairs of free particles within an element.
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const;
  void attach(std::size_t free, const BlockPattern& pattern);

  /// body(element) for all; bodies may add to the particles of their element.
  template <class Body>
  void for_each(const Body& body) const {
    for (const std::vector<std::size_t>& colour : colours_)
      for_chunks<64>(colour.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) body(colour[i]);
      });
  }
  /// Σ term(element)
  template <class Term>
  auto sum(const Term& term) const {
    return sum_chunks<64>(size(), term);
  }
  /// Corners as columns; `Corners` is the number of them or Eigen::Dynamic.
  template <int Corners>
  Eigen::Matrix<double, 3, Corners> gather(std::size_t element, std::span<const double> x) const {
    const auto particles = corners(element);
    Eigen::Matrix<double, 3, Corners> out(3, particles.size());
    for (std::size_t a = 0; a < particles.size(); ++a)
      out.col(static_cast<Eigen::Index>(a)) = Eigen::Map<const Eigen::Vector3d>(x.data() + 3 * particles[a]);
    return out;
  }
  /// f ← f + the columns of `local`, one for each corner.
  template <class Local>
  void add_force(std::size_t element, const Local& local, std::span<double> f) const {
    const auto particles = corners(element);
    for (std::size_t a = 0; a < particles.size(); ++a)
      if (static_cast<std::size_t>(particles[a]) < free_)
        Eigen::Map<Eigen::Vector3d>(f.data() + 3 * particles[a]) += local.col(static_cast<Eigen::Index>(a));
  }
  /// −Σ f·v over the corners that are prescribed, with a force in each column of `local`.
  template <class Local>
  double power_of_supports(std::size_t element, const Local& local, const Configuration& q) const {
    const auto particles = corners(element);
    double sum = 0;
    for (std::size_t a = 0; a < particles.size(); ++a)
      if (static_cast<std::size_t>(particles[a]) >= q.free)
        sum -= local.col(static_cast<Eigen::Index>(a))
                   .dot(Eigen::Map<const Eigen::Vector3d>(q.v.data() + 3 * particles[a]));
    return sum;
  }
  /// matrix ← matrix + block(a, b) at each pair of free corners.
  template <class BlockOf>
  void add_blocks(std::size_t element, const BlockOf& block, BlockMatrix& matrix) const {
    const std::size_t n = corners(element).size();
    const std::int64_t* position = positions_.data() + position_starts_[element];
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b, ++position)
        if (*position >= 0)
          Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(matrix.block(*position)) +=
              block(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
  }
  /// matrix ← matrix + `local`, whose rows and columns are the coordinates of the corners one after the
  /// other.
  template <class Local>
  void add_matrix(std::size_t element, const Local& local, BlockMatrix& matrix) const {
    add_blocks(
        element, [&](auto a, auto b) { return local.template block<3, 3>(3 * a, 3 * b); }, matrix);
  }

 private:
  void add(std::span<const int> corners, std::size_t particles, const std::string& kind);

  std::size_t free_ = 0;
  std::vector<std::size_t> starts_ = {0}, position_starts_;
  std::vector<int> corners_;
  std::vector<std::int64_t> positions_;  ///< of block (a, b) in the pattern; −1 where a or b is not free
  std::vector<std::vector<std::size_t>> colours_;
};

/// The elements of one piece: their numbers in the whole, and their corners by the piece's numbers.
struct PieceElements {
  std::vector<std::size_t> numbers;
  std::vector<std::vector<int>> corners;

  /// What the whole has for each element, for these.
  template <class T>
  std::vector<T> of(std::span<const T> whole) const {
    std::vector<T> out;
    for (const std::size_t number : numbers) out.push_back(whole[number]);
    return out;
  }
};
std::vector<PieceElements> divided(const ElementAssembly& elements, const Partition& partition);

/// A force that is a sum over elements.
class ElementForce : public Force {
 public:
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const override {
    elements_.add_pairs(free, pairs);
  }
  void attach(std::size_t free, const BlockPattern& pattern) override { elements_.attach(free, pattern); }

 protected:
  explicit ElementForce(ElementAssembly elements) : elements_(std::move(elements)) {}
  ElementAssembly elements_;
};

}  // namespace stiffly
