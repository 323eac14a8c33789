#include "stiffly/fibres/fibre_contact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "stiffly/contact/low_points.hpp"
#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/stopwatch.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr int most_parts_of_interval = 64;
/// rad: fibres that are turned further went ways for which the measure of their stiffness is not made. So far
/// turns, too, what gains its spin in the middle of an interval.
constexpr double most_turn = 0.1;
/// To look again at what is still too deep costs less than to have all of a tangle at its end at once.
constexpr int first_sweeps = 8;
/// Of the energy with which fibres move among themselves: no more of it pays at once for what contact makes.
constexpr double most_paid = 0.5;
constexpr std::size_t fibres_looked_at = 256;

std::vector<std::size_t> first_nodes(std::span<const int> segments) {
  std::vector<std::size_t> out = {0};
  for (const int count : segments) out.push_back(out.back() + static_cast<std::size_t>(count) + 1);
  return out;
}

std::vector<std::size_t> owners(std::span<const std::size_t> first_node) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i + 1 < first_node.size(); ++i) out.resize(first_node[i + 1], i);
  return out;
}

SegmentContacts centre_lines(std::span<const int> segments, const FibreContactLaw& law) {
  std::vector<ThickElement> elements;
  std::vector<int> fibre;
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (int s = 0; s <= segments[i]; ++s) {
      const int node = static_cast<int>(fibre.size());
      fibre.push_back(static_cast<int>(i));
      if (s < segments[i]) elements.push_back({{node, node + 1, -1}, law.radius});
    }
  return {std::move(elements), std::move(fibre), law.themselves};
}

bool are_finite(std::span<const double> x) {
  return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
}

void make_group(std::vector<std::size_t>& fibres) {
  std::ranges::sort(fibres);
  fibres.erase(std::unique(fibres.begin(), fibres.end()), fibres.end());
}

std::vector<std::size_t> united(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::vector<std::size_t> out;
  std::ranges::set_union(a, b, std::back_inserter(out));
  return out;
}

/// Of a fibre in a group, or the size of that.
std::size_t place_in(const std::vector<std::size_t>& group, std::size_t fibre) {
  const auto at = std::ranges::lower_bound(group, fibre);
  return at != group.end() && *at == fibre ? static_cast<std::size_t>(at - group.begin()) : group.size();
}

}  // namespace

FibreContact::FibreContact(FibreSimulation& fibres, std::span<const int> segments, const FibreContactLaw& law)
    : fibres_(fibres),
      law_(law),
      first_node_(first_nodes(segments)),
      fibre_of_node_(owners(first_node_)),
      inverse_mass_(first_node_.back(), 0.0),
      everyone_(segments.size()),
      segments_(centre_lines(segments, law)),
      impulse_(3 * first_node_.back(), 0.0),
      driven_(first_node_.back(), 0.0),
      accounts_(segments.size()) {
  law.projection.check();
  law_.projection.first_sweeps = std::min(law.projection.first_sweeps, first_sweeps);
  if (!(std::isfinite(law.interval) && law.interval > 0))
    throw InputError(fmt::format("the interval of contact must be positive, not {} s", law.interval));
  std::iota(everyone_.begin(), everyone_.end(), std::size_t{0});
  for (std::size_t i = 0; i < segments.size(); ++i)
    fibres_.inverse_masses(i, inverse_mass_.data() + first_node_[i] + 1);
  for (Motion* motion : {&whole_.start, &whole_.end, &whole_.free, &part_.start, &part_.end, &part_.free}) {
    motion->x.assign(3 * first_node_.back(), 0.0);
    motion->v.assign(3 * first_node_.back(), 0.0);
  }
}

// Of each node fourteen times x or v, its mass, body and pairs; of each segment its boxes; all that batches
// keep once more.
std::size_t FibreContact::memory(std::span<const int> segments) {
  constexpr std::size_t of_node = 14 * 3 * sizeof(double) + 600;
  return first_nodes(segments).back() * of_node + FibreSimulation::saved_memory(segments);
}

ProjectionReport FibreContact::advance(double until) {
  const double from = fibres_.time();
  const int count = std::max(1, static_cast<int>(std::ceil((until - from) / law_.interval * (1 - 1e-9))));
  gather(everyone_, whole_.end);
  report_ = {};
  for (int k = 1; k <= count; ++k) interval(k == count ? until : from + (until - from) * k / count);
  return report_;
}

void FibreContact::interval(double until) {
  const double from = fibres_.time();
  std::swap(whole_.start, whole_.end);
  touched_.clear();
  fibres_.keep();
  Stretch all{whole_, from, until, everyone_, {}, inverse_mass_, touched_.size()};
  go(all);
  if (!all.tangled.empty()) leave_out(all, advance_in_parts(from, until, all.tangled));
  displace(all);
  report_ += all.report;
  for (Account& of_fibre : accounts_) {
    report_.taken += of_fibre.taken;
    report_.driven += of_fibre.driven;
    report_.made += of_fibre.made;
    report_.crossings += of_fibre.crossings;
    of_fibre = {};
  }
}

FibreContact::Group FibreContact::with_touching(const Group& group) const {
  Group out = group;
  for (const auto& [i, j] : touched_) {
    if (std::ranges::binary_search(group, i)) out.push_back(j);
    if (std::ranges::binary_search(group, j)) out.push_back(i);
  }
  make_group(out);
  return out;
}

DisjointSets FibreContact::sets_of(const Group& group, std::size_t first_touch) const {
  DisjointSets out(group.size());
  for (const auto& [i, j] : std::span(touched_).subspan(first_touch))
    if (const std::size_t one = place_in(group, i), other = place_in(group, j);
        one < group.size() && other < group.size())
      out.join(one, other);
  return out;
}

void FibreContact::leave_out(Stretch& stretch, const Group& fibres) const {
  const auto is_out = [&](std::size_t i) { return std::ranges::binary_search(fibres, i); };
  std::erase_if(stretch.moved, is_out);
  std::erase_if(stretch.crossed, is_out);
  stretch.report.deepest = std::min(stretch.report.deepest, law_.projection.depth);
}

void FibreContact::set_inverse_masses(const Group& group, bool held) {
  for (const std::size_t i : group)
    for (std::size_t node = first_node_[i]; node < first_node_[i + 1]; ++node)
      inverse_mass_of_part_[node] = held ? 0 : inverse_mass_[node];
}

FibreContact::Group FibreContact::advance_in_parts(double from, double until, Group tangled) {
  Group group, out;
  inverse_mass_of_part_.assign(inverse_mass_.size(), 0.0);
  for (int parts = 2; !tangled.empty(); parts *= 2) {
    group = united(group, with_touching(tangled));
    out = united(out, group);
    group = go_in_parts(from, until, parts, std::move(group), tangled);
  }
  return out;
}

FibreContact::Group FibreContact::go_in_parts(double from, double until, int parts, Group group,
                                              Group& tangled) {
  ++report_.halvings;
  fibres_.go_back(group);
  for (const std::size_t i : group) accounts_[i] = {};
  set_inverse_masses(group, false);
  Group left_behind;
  tangled.clear();
  for (int k = 1; k <= parts && !group.empty(); ++k) {
    place_part(group, k, parts, until - from);
    const double end = k == parts ? until : from + (until - from) * k / parts;
    const PartOfWay share{double(k - 1) / parts, double(k) / parts};
    Stretch part{part_,          fibres_.time_of(group.front()), end, group, share, inverse_mass_of_part_,
                 touched_.size()};
    go(part);
    Group lost;
    if (parts < most_parts_of_interval && !part.tangled.empty()) {
      tangled = united(tangled, part.tangled);
      std::ranges::set_intersection(with_touching(part.tangled), group, std::back_inserter(lost));
      leave_out(part, lost);
    }
    displace(part);
    report_ += part.report;
    if (lost.empty()) continue;
    fibres_.wait(lost, until);
    go_straight(lost);
    left_behind = united(left_behind, lost);
    std::erase_if(group, [&](std::size_t i) { return std::ranges::binary_search(lost, i); });
  }
  for (const std::size_t i : group)
    for (std::size_t k = 3 * first_node_[i]; k < 3 * first_node_[i + 1]; ++k) {
      whole_.end.x[k] = part_.end.x[k];
      whole_.end.v[k] = part_.end.v[k];
    }
  go_straight(group);
  return left_behind;
}

void FibreContact::go_straight(const Group& fibres) {
  set_inverse_masses(fibres, true);
  if (law_.each_other)
    segments_.go_straight(whole_.start.x, whole_.end.x, std::vector<int>(fibres.begin(), fibres.end()));
}

// Others go straight to where they have ended.
void FibreContact::place_part(const Group& group, int k, int parts, double h) {
  std::swap(part_.start, part_.end);
  const double begin = double(k - 1) / parts, end = double(k) / parts;
  for_chunks<64>(everyone_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t fibre = first; fibre < last; ++fibre) {
      const bool is_of_group = std::ranges::binary_search(group, fibre);
      if (is_of_group && k > 1) continue;
      for (std::size_t i = 3 * first_node_[fibre]; i < 3 * first_node_[fibre + 1]; ++i) {
        const double from = whole_.start.x[i], way = whole_.end.x[i] - from;
        part_.start.x[i] = k == 1 ? from : from + begin * way;
        part_.start.v[i] = is_of_group ? whole_.start.v[i] : way / h;
        if (is_of_group) continue;
        part_.end.x[i] = k == parts ? whole_.end.x[i] : from + end * way;
        part_.end.v[i] = part_.start.v[i];
      }
    }
  });
}

void FibreContact::go(Stretch& stretch) {
  double clock = processor_seconds();
  const auto spend = [&](double& sum) { sum += -clock + processor_seconds(), clock = processor_seconds(); };
  Way& way = stretch.way;
  const double h = stretch.until - stretch.from;
  fibres_.advance(stretch.until);
  gather(stretch.group, way.end);
  // Velocities of roots are the means over the interval.
  for (const std::size_t i : stretch.group)
    for (std::size_t k = 3 * first_node_[i]; k < 3 * first_node_[i] + 3; ++k)
      way.start.v[k] = way.end.v[k] = (way.end.x[k] - way.start.x[k]) / h;
  for (const std::size_t i : stretch.group) {
    std::fill(impulse_.data() + 3 * first_node_[i], impulse_.data() + 3 * first_node_[i + 1], 0.0);
    std::fill(driven_.data() + first_node_[i], driven_.data() + first_node_[i + 1], 0.0);
    for (std::size_t k = 3 * first_node_[i]; k < 3 * first_node_[i + 1]; ++k) {
      way.free.x[k] = way.end.x[k];
      way.free.v[k] = way.end.v[k];
    }
  }
  const bool by_stiffness = law_.projection.measure == ProjectionMeasure::stiffness;
  stretch.measure.emplace(fibres_, first_node_, fibre_of_node_, stretch.inverse_mass, way.free.x, h);
  spend(seconds_.fibres);
  const ProjectedMotion motion{h,
                               stretch.inverse_mass,
                               way.start.x,
                               way.start.v,
                               way.end.x,
                               way.end.v,
                               by_stiffness ? &*stretch.measure : nullptr,
                               impulse_,
                               driven_};
  stretch.report = project_contacts(
      motion, law_.projection,
      [&](std::span<const int> moved, ContactSet& contacts) {
        spend(seconds_.response);
        find(stretch, moved, contacts);
        look_at(stretch, contacts);
        spend(seconds_.detection);
      },
      [&](const ContactSet& acted) { note_touches(acted); });
  stretch.report.crossings = 0;  // they are of fibres, which may go back
  make_group(stretch.moved);
  if (by_stiffness)
    for (const std::size_t i : stretch.moved)
      if (!(std::max(stretch.measure->farthest_turn(i), h / 2 * gained_spin(way, i)) < most_turn))
        stretch.tangled.push_back(i);
  make_group(stretch.tangled);
  spend(seconds_.response);
}

// By how segments go, as far as they turn for that.
double FibreContact::gained_spin(const Way& way, std::size_t fibre) const {
  const auto gained = [&](std::size_t node) {
    return Vector3d(Vector3d::Map(way.end.v.data() + 3 * node) - Vector3d::Map(way.free.v.data() + 3 * node));
  };
  double out = 0;
  for (std::size_t node = first_node_[fibre] + 1; node < first_node_[fibre + 1]; ++node) {
    const Vector3d along =
        Vector3d::Map(way.end.x.data() + 3 * node) - Vector3d::Map(way.end.x.data() + 3 * (node - 1));
    out = std::max(out, along.cross(gained(node) - gained(node - 1)).norm() / along.squaredNorm());
  }
  return out;
}

void FibreContact::find(Stretch& stretch, std::span<const int> moved, ContactSet& out) {
  const Way& way = stretch.way;
  const bool first = moved.empty();
  const Group anew = first ? stretch.group : fibres_of(moved);
  for (const std::size_t i : anew)
    if (!are_finite(
            std::span(way.end.x).subspan(3 * first_node_[i], 3 * (first_node_[i + 1] - first_node_[i]))))
      throw SimulationError(fmt::format(
          "putting fibres apart at t = {:.6g} s led to numbers that are not finite: take a shorter "
          "'interval' in [contact]",
          stretch.until));
  if (!first) stretch.moved.insert(stretch.moved.end(), anew.begin(), anew.end());
  if (law_.each_other) {
    if (first && stretch.group.size() == fibres_.size())
      segments_.begin(way.start.x, way.end.x);
    else if (first)
      segments_.begin_part(way.start.x, way.end.x,
                           std::vector<int>(stretch.group.begin(), stretch.group.end()), stretch.part);
    segments_.add(way.end.x, moved, out);
  }
  if (!law_.obstacles.empty()) add_obstacles(stretch.until, way.end.x, anew, out);
}

void FibreContact::look_at(Stretch& stretch, const ContactSet& contacts) {
  const bool first = stretch.moved.empty();
  stretch.tangled.clear();
  for (const ContactSet::Contact& c : contacts.contacts()) {
    const auto [one, other] = fibres_of(contacts.shares(c));
    if (first && c.crossing) stretch.crossed.push_back(one);
    if (-c.gap > law_.projection.depth) stretch.tangled.insert(stretch.tangled.end(), {one, other});
  }
}

void FibreContact::note_touches(const ContactSet& acted) {
  for (const ContactSet::Contact& c : acted.contacts())
    if (const auto pair = fibres_of(acted.shares(c)); pair.first != pair.second) touched_.push_back(pair);
}

std::pair<std::size_t, std::size_t> FibreContact::fibres_of(std::span<const ParticleShare> shares) const {
  const auto fibre = [&](const ParticleShare& s) {
    return fibre_of_node_[static_cast<std::size_t>(s.particle)];
  };
  return {fibre(shares.front()), fibre(shares.back())};
}

FibreContact::Group FibreContact::fibres_of(std::span<const int> nodes) const {
  Group out;
  for (const int node : nodes) out.push_back(fibre_of_node_[static_cast<std::size_t>(node)]);
  out.erase(std::unique(out.begin(), out.end()), out.end());  // nodes of one come together
  make_group(out);
  return out;
}

void FibreContact::gather(const Group& group, Motion& out) const {
  for_chunks<64>(group.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t i = group[k], node = first_node_[i];
      fibres_.centre_line(i, out.x.data() + 3 * node, out.v.data() + 3 * (node + 1));
    }
  });
}

// What grows out of something is nearer to it than its thickness at the root, where nothing can move it: how
// far a place of the first segment has to be grows from there.
double FibreContact::beside_root(const PlacedShape& shape, const Vector3d& root, double s) const {
  const auto d = shape.within(law_.radius, root);
  return s * law_.radius + (1 - s) * (d ? d->value : law_.radius);
}

// Nodes, and places between them that are deeper than those around.
void FibreContact::add_obstacles(double time, std::span<const double> x, const Group& fibres,
                                 ContactSet& out) {
  const std::vector<PlacedShape> shapes = placed(law_.obstacles, time);
  const double touch = (1 + just_apart) * law_.radius;
  std::vector<ContactSet> parts((fibres.size() + fibres_looked_at - 1) / fibres_looked_at);
  const auto place = [&](std::size_t node) { return Vector3d::Map(x.data() + 3 * node); };
  for_chunks<fibres_looked_at>(fibres.size(), [&](std::size_t first, std::size_t last) {
    ContactSet& contacts = parts[first / fibres_looked_at];
    const auto add = [&](const PlacedShape& shape, const Distance& d, double clearance, const Vector3d& at,
                         std::initializer_list<ParticleShare> shares) {
      contacts.add(d.value - clearance, d.gradient, shape.velocity(at), shares);
    };
    std::vector<std::optional<Distance>> near;  // of nodes from the root on
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t root = first_node_[fibres[k]], end = first_node_[fibres[k] + 1];
      double longest = 0;
      for (std::size_t node = root + 1; node < end; ++node)
        longest = std::max(longest, (place(node) - place(node - 1)).norm());
      for (const PlacedShape& shape : shapes) {
        near.clear();
        for (std::size_t node = root; node < end; ++node)
          near.push_back(shape.within(touch + longest, place(node)));
        for (std::size_t node = root + 1; node < end; ++node) {
          const Vector3d from = place(node - 1), to = place(node);
          const int number = static_cast<int>(node);
          const auto &first_end = near[node - 1 - root], &last_end = near[node - root];
          if (last_end && last_end->value < touch) add(shape, *last_end, law_.radius, to, {{number, 1.0}});
          LowPoints(shape, touch).between(from, to, first_end, last_end, [&](double s, const Distance& d) {
            const double clearance = node == root + 1 ? beside_root(shape, from, s) : law_.radius;
            if (!(d.value < (1 + just_apart) * clearance)) return;
            add(shape, d, clearance, from + s * (to - from), {{number - 1, 1 - s}, {number, s}});
          });
        }
      }
    }
  });
  for (const ContactSet& part : parts) out.append(part);
}

void FibreContact::displace(Stretch& stretch) {
  const std::vector<std::size_t>& moved = stretch.moved;
  std::vector<double> taken(moved.size(), 0.0), driven(moved.size(), 0.0);
  for_chunks<64>(moved.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t i = moved[k], from = first_node_[i], to = first_node_[i + 1];
      std::vector<Vector3d> faster;
      Vector3d by_root = Vector3d::Zero();  // the impulse that it has added
      for (std::size_t node = from + 1; node < to; ++node) {
        faster.emplace_back(Vector3d::Map(stretch.way.end.v.data() + 3 * node) -
                            Vector3d::Map(stretch.way.free.v.data() + 3 * node));
        by_root += faster.back() / inverse_mass_[node] - Vector3d::Map(impulse_.data() + 3 * node);
        driven[k] += driven_[node];
      }
      driven[k] += Vector3d::Map(stretch.way.end.v.data() + 3 * from).dot(by_root);
      const SectionWay way = stretch.measure->way(i, stretch.way.end.x);
      taken[k] = fibres_.displace(i, way, stretch.measure->spinning(i, std::move(faster)));
    }
  });
  pay(stretch, taken, driven);
  for (std::size_t k = 0; k < moved.size(); ++k) {
    accounts_[moved[k]].taken += taken[k];
    accounts_[moved[k]].driven += driven[k];
  }
  for (const std::size_t i : stretch.crossed) ++accounts_[i].crossings;
}

void FibreContact::pay(Stretch& stretch, std::span<double> taken, std::span<const double> driven) {
  const Group& moved = stretch.moved;
  DisjointSets together = sets_of(moved, stretch.first_touch);
  struct Cluster {
    double mass = 0, kinetic = 0, driven = 0, owed = 0, due = 0;
    Vector3d momentum = Vector3d::Zero();
    Vector3d velocity() const { return momentum / mass; }
  };
  std::vector<Cluster> clusters(moved.size());
  std::vector<double> mass(moved.size(), 0.0);
  const auto velocity = [&](std::size_t node) { return Vector3d::Map(stretch.way.end.v.data() + 3 * node); };
  const auto for_nodes = [&](const auto& visit) {
    for (std::size_t k = 0; k < moved.size(); ++k)
      for (std::size_t node = first_node_[moved[k]] + 1; node < first_node_[moved[k] + 1]; ++node)
        visit(k, node, clusters[together.find(k)]);
  };
  for_nodes([&](std::size_t k, std::size_t node, Cluster& all) {
    mass[k] += 1 / inverse_mass_[node];
    all.mass += 1 / inverse_mass_[node];
    all.momentum += velocity(node) / inverse_mass_[node];
  });
  for_nodes([&](std::size_t, std::size_t node, Cluster& all) {
    all.kinetic += (velocity(node) - all.velocity()).squaredNorm() / inverse_mass_[node] / 2;
  });
  for (std::size_t k = 0; k < moved.size(); ++k) {
    Cluster& all = clusters[together.find(k)];
    all.owed += fibres_.owed(moved[k]);
    all.driven += driven[k];
    all.due -= taken[k];
  }
  for (Cluster& all : clusters) all.due += all.owed - all.driven;
  std::vector<Vector3d> change;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const Cluster& all = clusters[together.find(k)];
    if (!(all.due > 0 && all.kinetic > 0)) continue;
    const double slower = 1 - std::sqrt(1 - std::min(all.due / all.kinetic, most_paid));
    change.clear();
    for (std::size_t node = first_node_[moved[k]] + 1; node < first_node_[moved[k] + 1]; ++node) {
      change.push_back(-slower * (velocity(node) - all.velocity()));
      Vector3d::Map(stretch.way.end.v.data() + 3 * node) += change.back();
    }
    const std::vector<Vector3d> none(change.size(), Vector3d::Zero());
    taken[k] += fibres_.displace(moved[k], {none, none}, {change, none});
  }
  for (Cluster& all : clusters) all.due = all.owed - all.driven;
  for (std::size_t k = 0; k < moved.size(); ++k) clusters[together.find(k)].due -= taken[k];
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const Cluster& all = clusters[together.find(k)];
    double& owed = fibres_.owed(moved[k]);
    const double before = std::exchange(owed, std::max(0.0, all.due) * mass[k] / all.mass);
    accounts_[moved[k]].made += owed - before;
  }
}

}  // namespace stiffly
