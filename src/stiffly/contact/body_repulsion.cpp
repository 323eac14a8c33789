#include "stiffly/contact/body_repulsion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/contact/clear_share.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr std::size_t contacts_at_once = 256;
constexpr std::size_t all_particles = std::numeric_limits<std::size_t>::max();

std::vector<double> nodes_of(const ContactBodies& bodies, std::span<const double> particles) {
  std::vector<double> out;
  bodies.gather(particles, out);
  return out;
}

/// By how much less than it is the gap of a pair may seem.
double rounded_off(const ContactBodies& bodies) {
  double thickest = 0;
  for (const ThickElement& element : bodies.elements) thickest = std::max(thickest, 2 * element.radius);
  return most_rounded_off * thickest;
}

/// Where a corner has no part in what is near, it is left alone.
bool takes_part(const ElementPair& pair, std::size_t corner) {
  return pair.kind != Meeting::points || corner < 2;
}

/// The force over a step; it has no strains, and its tangent is the one that touching things add.
class AverageRepulsion final : public MixedElements {
 public:
  explicit AverageRepulsion(const BodyRepulsion& force) : force_(force) {}
  std::size_t strains() const override { return 0; }
  void measure(const Configuration&, std::span<double>) const override {}
  bool touching() const override { return true; }
  void freeze(const ParticlePath& path, std::span<const double>, Tangent&) override {
    x_.assign(path.end.x.begin(), path.end.x.end());
    v_.assign(path.end.v.begin(), path.end.v.end());
    share_ = path.is_step() ? path.theta : 1;
    for (std::size_t i = 0; i < path.start.size(); ++i)
      x_[i] = (1 - path.theta) * path.start[i] + path.theta * x_[i];
    middle_ = {path.end.time, path.end.free, x_, v_};
  }
  void add_touching_pairs(std::vector<std::pair<int, int>>& pairs) const override {
    force_.add_touching_pairs(middle_, pairs);
  }
  void add_touching_tangent(Tangent& out) const override { force_.add_shared_tangent(middle_, share_, out); }
  void add_force(const ParticlePath& path, std::span<const double>, std::span<double>,
                 std::span<double> f) const override {
    force_.add_average(path, f);
  }
  void follow(std::span<const double>, std::span<const double>, std::span<const double>,
              std::span<double>) const override {}

 private:
  const BodyRepulsion& force_;
  std::vector<double> x_, v_;  ///< where it was frozen
  Configuration middle_;
  double share_ = 1;
};

}  // namespace

BodyRepulsion::BodyRepulsion(const ContactBodies& bodies, std::span<const double> x, const RepulsionLaw& law,
                             const FrictionLaw& friction, ContactResponse response)
    : law_((check(law, friction), law)),
      friction_(friction),
      response_(response),
      near_(bodies, law.range + rounded_off(bodies), nodes_of(bodies, x)) {}

Proximity BodyRepulsion::nearest(const Neighbours& k, const Corners& corners) const {
  return k.pair.kind == Meeting::segments ? rounded_nearest_of_segments(corners, k.radii)
                                          : k.pair.nearest(corners);
}

double BodyRepulsion::gap(const Neighbours& k, const Corners& corners) const {
  return nearest(k, corners).distance(corners) - k.radii;
}

template <class Visit>
void BodyRepulsion::for_particles(const ElementPair& pair, std::size_t free, const Visit& visit) const {
  for (std::size_t corner = 0; corner < 4; ++corner) {
    if (!takes_part(pair, corner)) continue;
    const auto& particles = near_.bodies().nodes[static_cast<std::size_t>(pair.particles[corner])].particles;
    for (const int particle : particles)
      if (static_cast<std::size_t>(particle) < free)
        visit(particle, 1.0 / static_cast<double>(particles.size()), static_cast<int>(corner));
  }
}

void BodyRepulsion::scatter(const ElementPair& pair, const PairVector& local, std::size_t free,
                            std::span<double> f) const {
  for_particles(pair, free, [&](int particle, double share, int corner) {
    Vector3d::Map(f.data() + 3 * particle) += share * local.segment<3>(3 * corner);
  });
}

std::vector<BodyRepulsion::Met> BodyRepulsion::met(const Configuration& q) const {
  near_.bodies().gather(q.x, x_);
  const std::span<const Neighbours> list = near_.at(x_);
  std::vector<std::vector<Met>> parts((list.size() + contacts_at_once - 1) / contacts_at_once);
  for_chunks<contacts_at_once>(list.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const Corners corners = list[k].pair.corners(x_);
      const PairContact contact(nearest(list[k], corners), corners);
      if (const double gap = contact.distance - list[k].radii; gap < law_.range && contact.distance > 0)
        parts[first / contacts_at_once].push_back({list[k].pair, contact, gap});
    }
  });
  std::vector<Met> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

double BodyRepulsion::energy(const Configuration& q) const {
  double sum = 0;
  for (const Met& m : met(q)) sum += law_.energy(m.gap);
  return sum;
}

void BodyRepulsion::add_force(const Configuration& q, std::span<double> f) const {
  const std::vector<Met> all = met(q);
  if (friction_.coefficient > 0) near_.bodies().gather(q.v, v_);
  for (const Met& m : all) {
    Vector3d force = law_.push(m.gap) * m.contact.steepness * m.contact.normal;
    if (friction_.coefficient > 0)
      force -= friction_.coefficient * law_.push(m.gap) *
               PairSlip(m.contact, m.pair.corners(v_), friction_).direction;
    scatter(m.pair, m.contact.spread(force), q.free, f);
  }
}

void BodyRepulsion::add_touching_pairs(const Configuration& q,
                                       std::vector<std::pair<int, int>>& pairs) const {
  std::vector<int> particles;
  for (const Met& m : met(q)) {
    particles.clear();
    for_particles(m.pair, q.free, [&](int particle, double, int) { particles.push_back(particle); });
    for (std::size_t a = 0; a < particles.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) pairs.emplace_back(particles[a], particles[b]);
  }
}

void BodyRepulsion::add_touching_tangent(const Configuration& q, Tangent& tangent) const {
  add_shared_tangent(q, 1, tangent);
}

void BodyRepulsion::add_shared_tangent(const Configuration& q, double stiffness_share,
                                       Tangent& tangent) const {
  using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const std::vector<Met> all = met(q);
  const bool rubs = friction_.coefficient > 0;
  if (rubs) near_.bodies().gather(q.v, v_);
  const BlockPattern& pattern = tangent.stiffness.pattern();
  for (const Met& m : all) {
    const Corners corners = m.pair.corners(x_);
    PairMatrix stiffness = push_tangent(m.contact, corners, law_, m.gap);
    SlipTangent slip;
    if (rubs) {
      slip = slip_tangent(m.contact, corners, m.pair.corners(v_), law_, friction_, m.gap);
      stiffness += (slip.stiffness + slip.stiffness.transpose()) / 2;
    }
    stiffness *= stiffness_share;
    for_particles(m.pair, q.free, [&](int row, double row_share, int a) {
      for_particles(m.pair, q.free, [&](int column, double column_share, int b) {
        const std::int64_t block = pattern.find(static_cast<std::size_t>(row), column);
        const double share = row_share * column_share;
        Block::Map(tangent.stiffness.block(block)) += share * stiffness.block<3, 3>(3 * a, 3 * b);
        if (!rubs) return;
        Block::Map(tangent.damping.block(block)) += share * slip.damping.block<3, 3>(3 * a, 3 * b);
        Block::Map(tangent.circulatory.block(block)) +=
            share / 2 *
            (slip.stiffness.block<3, 3>(3 * a, 3 * b) - slip.stiffness.block<3, 3>(3 * b, 3 * a).transpose());
      });
    });
  }
}

/// Pairs of elements.
class BodyRepulsion::Gaps final : public ContactSource {
 public:
  explicit Gaps(const BodyRepulsion& force) : force_(force) {}

  std::vector<Key> find(const ParticlePath& path, double wander) override {
    bodies().gather(path.end.x, x_);
    std::vector<Key> out;
    for (const Neighbours& k : force_.near_.at(x_, wander)) {
      const Corners corners = k.pair.corners(x_);
      if (force_.gap(k, corners) < force_.law_.range + 2 * wander) out.emplace_back(k.first, k.second);
    }
    return out;
  }
  void place(const Configuration& q) override { bodies().gather(q.x, x_); }
  double gap(const Key& key) const override {
    const Neighbours k = force_.near_.neighbours(key.first, key.second);
    return force_.gap(k, k.pair.corners(x_));
  }
  ContactLine line(const Key& key) const override {
    const Neighbours k = force_.near_.neighbours(key.first, key.second);
    const Corners corners = k.pair.corners(x_);
    const PairContact contact(force_.nearest(k, corners), corners);
    ContactLine out{
        .gap = contact.distance - k.radii, .normal = contact.normal, .steepness = contact.steepness};
    force_.for_particles(k.pair, all_particles, [&](int particle, double share, int corner) {
      if (const double weight = contact.proximity.weights[corner]; weight != 0)
        out.shares.push_back({particle, share * weight});
    });
    return out;
  }

 private:
  const ContactBodies& bodies() const { return force_.near_.bodies(); }

  const BodyRepulsion& force_;
  std::vector<double> x_;  ///< of the nodes
};

std::unique_ptr<ContactSource> BodyRepulsion::source() const { return std::make_unique<Gaps>(*this); }

std::unique_ptr<MixedElements> BodyRepulsion::mixed_elements(std::size_t, const BlockPattern&) const {
  if (response_ == ContactResponse::mixed)
    return std::make_unique<OneSidedContacts>(source(), law_, friction_);
  return std::make_unique<AverageRepulsion>(*this);
}

// With n and the weights in the middle, p n·Σ w_i Δx_i = U(g₀) − U(g₁): what the push does is what U loses.
// Where things hardly come nearer, the quotient is that of two small numbers, and the push in the middle
// does.
void BodyRepulsion::add_average(const ParticlePath& path, std::span<double> f) const {
  if (!path.is_step()) {
    add_force(path.end, f);
    return;
  }
  constexpr double enough = 1e-6;  // of the range
  const ContactBodies& bodies = near_.bodies();
  const std::vector<double> start = nodes_of(bodies, path.start), end = nodes_of(bodies, path.end.x);
  x_.resize(start.size());
  double wander = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = (1 - path.theta) * start[i] + path.theta * end[i];
  for (std::size_t i = 0; i < x_.size(); i += 3)
    wander =
        std::max(wander, (Vector3d::Map(end.data() + i) - Vector3d::Map(start.data() + i)).squaredNorm());
  wander = std::max(path.theta, 1 - path.theta) * std::sqrt(wander);
  const std::span<const Neighbours> list = near_.at(x_, wander);
  if (friction_.coefficient > 0) bodies.gather(path.end.v, v_);
  for (const Neighbours& k : list) {
    const auto gap_at = [&](std::span<const double> x) { return gap(k, k.pair.corners(x)); };
    const double first = gap_at(start), last = gap_at(end);
    const Corners corners = k.pair.corners(x_);
    const PairContact contact(nearest(k, corners), corners);
    const double middle = contact.distance - k.radii;
    if (std::min({first, middle, last}) >= law_.range || !(contact.distance > 0)) continue;
    double along = law_.push(middle) * contact.steepness;
    const double nearer =
        -contact.normal.dot((k.pair.corners(end) - k.pair.corners(start)) * contact.proximity.weights);
    if (path.theta == 0.5 && std::abs(nearer) > enough * law_.range &&
        nearer * (first - last) > 0.5 * (first - last) * (first - last))
      along = (law_.energy(last) - law_.energy(first)) / nearer;
    Vector3d force = along * contact.normal;
    if (friction_.coefficient > 0)
      force -= friction_.coefficient * along / contact.steepness *
               PairSlip(contact, k.pair.corners(v_), friction_).direction;
    scatter(k.pair, contact.spread(force), path.end.free, f);
  }
}

std::optional<Touch> BodyRepulsion::touch(const Configuration& q) const {
  Touch out;
  for (const Met& m : met(q)) out.see(m.gap);
  return out;
}

// As with obstacles: within a step nothing comes nearer than half the range, or half the range nearer where
// it is there already. What is not in the list is further than its margin.
double BodyRepulsion::longest_step(const Configuration& q, double h) const {
  const ContactBodies& bodies = near_.bodies();
  bodies.gather(q.x, x_);
  bodies.gather(q.v, v_);
  const double half = law_.range / 2;
  Vector3d mean = Vector3d::Zero();
  for (std::size_t i = 0; i < v_.size(); i += 3) mean += Vector3d::Map(v_.data() + i);
  mean /= static_cast<double>(bodies.nodes.size());
  double fastest = 0;
  for (std::size_t i = 0; i < v_.size(); i += 3)
    fastest = std::max(fastest, (Vector3d::Map(v_.data() + i) - mean).norm());
  const std::span<const Neighbours> list = near_.at(x_);
  if (fastest > 0) h = std::min(h, std::max(near_.unlisted_gap() - half, half) / (2 * fastest));
  for (const Neighbours& k : list) {
    const Corners corners = k.pair.corners(x_);
    const PairContact contact(nearest(k, corners), corners);
    const double approach = -contact.normal.dot(k.pair.corners(v_) * contact.proximity.weights);
    if (approach > 0) h = std::min(h, std::max(contact.distance - k.radii - half, half) / approach);
  }
  return h;
}

ForcePower BodyRepulsion::power(const Configuration& q) const {
  ForcePower out;
  if (friction_.coefficient == 0) return out;
  const std::vector<Met> all = met(q);
  const ContactBodies& bodies = near_.bodies();
  bodies.gather(q.v, v_);
  for (const Met& m : all) {
    const PairSlip slip(m.contact, m.pair.corners(v_), friction_);
    const Vector3d force = -friction_.coefficient * law_.push(m.gap) * slip.direction;
    out.dissipated -= force.dot(slip.velocity);
    for (std::size_t corner = 0; corner < 4; ++corner) {
      if (!takes_part(m.pair, corner)) continue;
      const auto& particles = bodies.nodes[static_cast<std::size_t>(m.pair.particles[corner])].particles;
      for (const int particle : particles)
        if (static_cast<std::size_t>(particle) >= q.free)
          out.supports -= m.contact.proximity.weights[static_cast<Eigen::Index>(corner)] /
                          static_cast<double>(particles.size()) *
                          force.dot(Vector3d::Map(q.v.data() + 3 * particle));
    }
  }
  return out;
}

std::optional<double> BodyRepulsion::support_rate(const Configuration& q) const {
  double out = 0;
  for (const Met& m : met(q)) {
    const double push = law_.push(m.gap) * m.contact.steepness;
    for_particles(m.pair, all_particles, [&](int particle, double share, int corner) {
      if (static_cast<std::size_t>(particle) < q.free) return;
      out -= push * share * m.contact.proximity.weights[corner] *
             m.contact.normal.dot(Vector3d::Map(q.v.data() + 3 * particle));
    });
  }
  return out;
}

// What no free particle has a part in goes as it is told, and nothing gives way there.
double BodyRepulsion::clear_share(const Configuration& from, const Configuration& to) const {
  const ContactBodies& bodies = near_.bodies();
  const std::vector<double> start = nodes_of(bodies, from.x), end = nodes_of(bodies, to.x);
  double wander = 0;
  for (std::size_t i = 0; i < start.size(); i += 3)
    wander = std::max(wander, (Vector3d::Map(end.data() + i) - Vector3d::Map(start.data() + i)).norm());
  double share = 1;
  for (const Neighbours& k : near_.at(start, wander)) {
    bool gives_way = false;
    for_particles(k.pair, to.free, [&](int, double, int) { gives_way = true; });
    if (!gives_way) continue;
    const Corners x = k.pair.corners(start), way = k.pair.corners(end) - x;
    const double approach = most_rounded_steepness * k.pair.approach(way);
    if (!(approach > 0)) continue;
    share = std::min(share, stiffly::clear_share([&](double t) { return gap(k, x + t * way); }, approach));
  }
  return share;
}

}  // namespace stiffly
