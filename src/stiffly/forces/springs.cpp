#include "stiffly/forces/springs.hpp"

#include <fmt/format.h>

#include <array>
#include <Eigen/Core>

#include "stiffly/error.hpp"
#include "stiffly/forces/plastic_spring.hpp"
#include "stiffly/forces/spring_strains.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Block = Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;

constexpr std::size_t springs_at_once = 512;

Vector3d at3(std::span<const double> x, int particle) {
  return Eigen::Map<const Vector3d>(x.data() + 3 * static_cast<std::ptrdiff_t>(particle));
}

}  // namespace

template <class S>
SpringNetwork<S>::SpringNetwork(std::vector<S> springs, std::size_t particles)
    : springs_(std::move(springs)), starts_(particles + 1, 0), incidences_(2 * springs_.size()) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const S& s = springs_[i];
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("spring {}: {}", i, what));
    };
    for (const int end : {s.first, s.second})
      if (end < 0 || static_cast<std::size_t>(end) >= particles)
        fail(fmt::format("end {} is not a particle (there are {}, counted from 0)", end, particles));
    if (s.first == s.second) fail(fmt::format("both ends are particle {}", s.first));
    check(s.material(), fmt::format("spring {}", i));
    damped_ = damped_ || s.damping > 0;
    ++starts_[static_cast<std::size_t>(s.first) + 1];
    ++starts_[static_cast<std::size_t>(s.second) + 1];
  }
  for (std::size_t p = 0; p < particles; ++p) starts_[p + 1] += starts_[p];
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const S& s = springs_[i];
    incidences_[next[static_cast<std::size_t>(s.first)]++] = {static_cast<int>(i), s.second};
    incidences_[next[static_cast<std::size_t>(s.second)]++] = {static_cast<int>(i), s.first};
  }
}

template <class S>
double SpringNetwork<S>::energy(const Configuration& q) const {
  return sum_chunks<springs_at_once>(springs_.size(), [&](std::size_t i) {
    const S& s = springs_[i];
    return stored_energy(s, (at3(q.x, s.second) - at3(q.x, s.first)).norm() - s.rest_length);
  });
}

// f_i = Σ pull towards the other end
template <class S>
void SpringNetwork<S>::add_force(const Configuration& q, std::span<double> f) const {
  for_chunks<springs_at_once>(q.free, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const int here = static_cast<int>(i);
      const Vector3d x = at3(q.x, here);
      Vector3d sum = Vector3d::Zero();
      for (const Incidence& incidence : at(i)) {
        const Vector3d e = at3(q.x, incidence.other) - x;
        const auto rate = [&]() -> Vector3d { return at3(q.v, incidence.other) - at3(q.v, here); };
        sum += pull_per_length(springs_[static_cast<std::size_t>(incidence.spring)], e, rate) * e;
      }
      Eigen::Map<Vector3d>(f.data() + 3 * i) += sum;
    }
  });
}

// The dashpot pulls the first end by c ê and the second by −c ê, c = d ê·w: d (ê·w)² in all.
template <class S>
ForcePower SpringNetwork<S>::power(const Configuration& q) const {
  const auto prescribed = [&](int particle) { return static_cast<std::size_t>(particle) >= q.free; };
  return sum_chunks<springs_at_once>(springs_.size(), [&](std::size_t i) {
    const S& s = springs_[i];
    ForcePower out;
    const Vector3d e = at3(q.x, s.second) - at3(q.x, s.first);
    const double length = e.norm();
    if (s.damping == 0 || collapsed(s, length)) return out;
    const Vector3d w = at3(q.v, s.second) - at3(q.v, s.first);
    const Vector3d pull = s.damping * e.dot(w) / (length * length) * e;
    out.dissipated = pull.dot(w);
    if (prescribed(s.first)) out.supports -= pull.dot(at3(q.v, s.first));
    if (prescribed(s.second)) out.supports += pull.dot(at3(q.v, s.second));
    return out;
  });
}

template <class S>
void SpringNetwork<S>::add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const {
  for (const S& s : springs_)
    if (static_cast<std::size_t>(std::max(s.first, s.second)) < free) pairs.emplace_back(s.first, s.second);
}

template <class S>
void SpringNetwork<S>::attach(std::size_t free, const BlockPattern& pattern) {
  diagonal_.resize(free);
  for (std::size_t i = 0; i < free; ++i) {
    diagonal_[i] = pattern.find(i, static_cast<int>(i));
    for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k)
      incidences_[k].block =
          static_cast<std::size_t>(incidences_[k].other) < free ? pattern.find(i, incidences_[k].other) : -1;
  }
}

// With B the derivative of the pull:  −∂f_i/∂x_i = B,  −∂f_i/∂x_j = −B, and the same for the velocities.
template <class S>
void SpringNetwork<S>::add_tangent(const Configuration& q, Tangent& tangent) const {
  for_chunks<springs_at_once>(q.free, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const int here = static_cast<int>(i);
      const Vector3d x = at3(q.x, here);
      for (const Incidence& incidence : at(i)) {
        const auto add = [&](BlockMatrix& matrix, const Matrix3d& block) {
          Block(matrix.block(diagonal_[i])) += block;
          if (incidence.block >= 0) Block(matrix.block(incidence.block)) -= block;
        };
        const S& s = springs_[static_cast<std::size_t>(incidence.spring)];
        const auto rate = [&]() -> Vector3d { return at3(q.v, incidence.other) - at3(q.v, here); };
        const SpringTangent B = spring_tangent(s, at3(q.x, incidence.other) - x, rate);
        add(tangent.stiffness, B.stiffness);
        if (s.damping > 0) {
          add(tangent.circulatory, B.circulatory);
          add(tangent.damping, B.damping);
        }
      }
    }
  });
}

// Of what remembers its way the whole does, not its parts.
template <class S>
std::vector<std::unique_ptr<Force>> SpringNetwork<S>::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  if constexpr (!plastic) {
    std::vector<std::vector<Spring>> lists(partition.pieces());
    for (Spring s : springs_)
      if (const auto piece = partition.piece_of(std::array{s.first, s.second})) {
        s.first = partition.number(*piece, s.first);
        s.second = partition.number(*piece, s.second);
        lists[*piece].push_back(s);
      }
    for (std::size_t i = 0; i < lists.size(); ++i)
      out.push_back(std::make_unique<Springs>(std::move(lists[i]), partition.particles(i).size()));
  }
  return out;
}

template <class S>
std::unique_ptr<MixedElements> SpringNetwork<S>::mixed_elements(std::size_t free,
                                                                const BlockPattern& pattern) const {
  std::vector<std::array<int, 2>> ends;
  std::vector<double> coefficients;
  for (const S& s : springs_) {
    ends.push_back({s.first, s.second});
    coefficients.insert(coefficients.end(), {-1.0, 1.0});
  }
  ElementAssembly elements(ends, particles(), "spring");
  elements.attach(free, pattern);
  if constexpr (plastic) {
    return spring_strains(springs(), std::move(elements), std::move(coefficients), free);
  } else {
    std::vector<SpringMaterial> materials;
    for (const Spring& s : springs_) materials.push_back(s.material());
    return spring_strains(std::move(materials), std::move(elements), std::move(coefficients), free);
  }
}

template <class S>
std::unique_ptr<Force> SpringNetwork<S>::yielding(const PlasticLaw& law) const {
  std::vector<PlasticSpring> out;
  out.reserve(springs_.size());
  for (const S& s : springs_) out.emplace_back(s, law);
  return std::make_unique<PlasticSprings>(std::move(out), particles());
}

template <class S>
void SpringNetwork<S>::add_history(std::vector<double>& out) const {
  if constexpr (plastic) {
    out.reserve(out.size() + 2 * springs_.size());
    for (const S& s : springs_) out.insert(out.end(), {s.set, s.flow});
  }
}

template <class S>
std::span<const double> SpringNetwork<S>::recall(std::span<const double> history) {
  if constexpr (plastic) {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      springs_[i].set = history[2 * i];
      springs_[i].flow = history[2 * i + 1];
    }
    return history.subspan(2 * springs_.size());
  }
  return history;
}

template <class S>
bool SpringNetwork<S>::settle(const Configuration& q) {
  if constexpr (!plastic)
    return false;
  else
    return 0 < sum_chunks<springs_at_once>(springs_.size(), [&](std::size_t i) {
             S& s = springs_[i];
             const double flow = s.flow_at((at3(q.x, s.second) - at3(q.x, s.first)).norm() - s.rest_length);
             s.set += flow;
             s.flow += std::abs(flow);
             return flow == 0 ? 0.0 : 1.0;
           });
}

template <class S>
PlasticWork SpringNetwork<S>::plastic_work() const {
  PlasticWork out;
  if constexpr (plastic)
    for (const S& s : springs_) {
      out.heat += s.yield * s.flow;
      out.stored += 0.5 * s.hardening * s.flow * s.flow;
      out.strain = std::max(out.strain, std::abs(s.set) / s.rest_length);
      if (s.flow > 0) ++out.yielded;
    }
  return out;
}

template class SpringNetwork<Spring>;
template class SpringNetwork<PlasticSpring>;

}  // namespace stiffly
