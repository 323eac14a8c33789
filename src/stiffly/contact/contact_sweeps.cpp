#include "stiffly/contact/contact_sweeps.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr int most_passes = 30;
/// Times what overlapped at first, or a hundred times the depth: more than that, and passes only make it
/// worse.
constexpr double hopeless = 10;
constexpr std::size_t contacts_swept = 64;
constexpr double sweep_tolerance = 1e-12;  ///< of the largest change of the first sweep
/// Of the depth: changes below it are left to the next pass.
constexpr double below_notice = 0.1;

/// JA⁻¹Jᵀ, of what a contact does to what it shares.
void find_give(ContactSet::Contact& c, std::span<const ParticleShare> shares, const ProjectedMotion& motion) {
  if (!motion.response) {
    for (const auto& [i, share] : shares)
      c.give += share * share * motion.inverse_mass[static_cast<std::size_t>(i)];
    c.give_across = c.give;
    return;
  }
  c.columns = motion.response->columns(shares);
  Eigen::Matrix3d give = Eigen::Matrix3d::Zero();
  for (const ImpulseColumn& column : c.columns)
    for (const auto& [i, share] : shares)
      if (i == column.particle) give += share * column.block.cast<double>();
  c.give = c.normal.dot(give * c.normal);
  c.give_across = give.trace() - c.give;
}

/// Those that touch, all at once.
void find_give(ContactSet& set, const ProjectedMotion& motion) {
  const auto find = [&](std::size_t begin, std::size_t end) {
    for (ContactSet::Contact& c : std::span(set.contacts()).subspan(begin, end - begin))
      if (c.touches) find_give(c, set.shares(c), motion);
  };
  if (!motion.response || motion.response->concurrent())
    for_chunks<256>(set.size(), find);
  else
    find(0, set.size());
}

bool touch(const ContactSet& set) {
  return std::ranges::any_of(set.contacts(), &ContactSet::Contact::touches);
}

double deepest_of(const ContactSet& set) {
  double out = 0;
  for (const ContactSet::Contact& c : set.contacts()) out = std::max(out, -c.gap);
  return out;
}

int body_of(const ParticleShare& share, const ImpulseResponse* response) {
  return response ? response->body_of(share.particle) : share.particle;
}

/// Leaves contacts of bodies that have one deeper than `depth`: what all others have come to is good enough.
void keep_deep(ContactSet& set, double depth, const ImpulseResponse* response) {
  std::vector<int> bodies;
  const auto body = [&](const ParticleShare& s) { return body_of(s, response); };
  for (const ContactSet::Contact& c : set.contacts())
    if (-c.gap > depth)
      for (const ParticleShare& s : set.shares(c)) bodies.push_back(body(s));
  std::ranges::sort(bodies);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  std::erase_if(set.contacts(), [&](const ContactSet::Contact& c) {
    return std::ranges::none_of(
        set.shares(c), [&](const ParticleShare& s) { return std::ranges::binary_search(bodies, body(s)); });
  });
}

/// Visits what a contact shares and moves; some more than once.
template <class Visit>
void for_particles(const ContactSet& set, const ContactSet::Contact& c, const Visit& visit) {
  for (const ParticleShare& s : set.shares(c)) visit(s.particle);
  for (const ImpulseColumn& column : c.columns) visit(column.particle);
}

/// When things moved last.
struct Moves {
  std::vector<long> when;
  long clock = 1;
};

/// Sets of contacts in ranges that share no body: of one range it does not matter which is swept first.
class Ranges {
 public:
  explicit Ranges(std::size_t bodies) : of_body_(bodies, 0) {}

  /// Brings the contacts in the order of their ranges.
  void arrange(ContactSet& set, const ImpulseResponse* response);
  /// Where each begins, and where the last one ends.
  std::span<const std::size_t> begins() const { return begins_; }

 private:
  std::vector<std::uint64_t> of_body_;  ///< ranges that have a contact of it
  std::vector<std::size_t> begins_;
};

// Each goes to the first range that has none of its bodies; what finds none of 64, and what is few, goes by
// itself.
void Ranges::arrange(ContactSet& set, const ImpulseResponse* response) {
  constexpr std::size_t few = 256, most = 64;
  std::vector<ContactSet::Contact>& contacts = set.contacts();
  begins_.assign(1, 0);
  std::size_t arranged = 0;
  if (contacts.size() > few) {
    std::vector<std::size_t> range(contacts.size());
    const auto visit_bodies = [&](const ContactSet::Contact& c, const auto& visit) {
      for (const ParticleShare& s : set.shares(c))
        visit(of_body_[static_cast<std::size_t>(body_of(s, response))]);
    };
    std::array<std::size_t, most + 1> count = {};
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      std::uint64_t taken = 0;
      visit_bodies(contacts[i], [&](std::uint64_t ranges) { taken |= ranges; });
      range[i] = static_cast<std::size_t>(std::countr_one(taken));
      if (range[i] < most)
        visit_bodies(contacts[i], [&](std::uint64_t& ranges) { ranges |= std::uint64_t{1} << range[i]; });
      ++count[range[i]];
    }
    for (const ContactSet::Contact& c : contacts) visit_bodies(c, [](std::uint64_t& ranges) { ranges = 0; });
    std::array<std::size_t, most + 1> next = {};
    for (std::size_t r = 0; r < most; ++r) {
      next[r + 1] = next[r] + count[r];
      if (count[r] > 0) begins_.push_back(next[r + 1]);
    }
    arranged = next[most];
    std::vector<ContactSet::Contact> in_order(contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) in_order[next[range[i]]++] = std::move(contacts[i]);
    contacts = std::move(in_order);
  }
  while (arranged < contacts.size()) begins_.push_back(++arranged);
}

/// One range after the other; what rubs, where `rubbing`. A contact is looked at again where something that
/// it shares has moved since by more than `least`: most are alone, and done at once. `enter` is called of a
/// contact that did not touch and is pushed together.
template <class Enter>
void relax(ContactSet& set, std::span<const std::size_t> begins, bool rubbing, int most_sweeps,
           const ProjectedMotion& motion, double least, Moves& moves, std::span<double> y,
           const Enter& enter) {
  auto& [moved, clock] = moves;
  double noticed = least;
  const auto apply = [&](ContactSet::Contact& c, const Vector3d& impulse) {
    const double change = impulse.norm() * std::max(c.give, c.give_across);
    if (change == 0) return change;
    const auto move = [&](int i, const Vector3d& by) {
      Vector3d::Map(y.data() + 3 * i) += by;
      if (change > noticed) moved[static_cast<std::size_t>(i)] = clock;
    };
    for (const ImpulseColumn& column : c.columns)
      move(column.particle, column.block.cast<double>() * impulse);
    if (c.columns.empty())
      for (const auto& [i, share] : set.shares(c))
        if (const double w = motion.inverse_mass[static_cast<std::size_t>(i)]; w > 0)
          move(i, share * w * impulse);
    return change;
  };
  // Returns the largest change.
  const auto look_at = [&](ContactSet::Contact& c) {
    const Vector3d& n = c.normal;
    const double short_of = c.target - n.dot(set.mean(c, y));
    // What is only near must be pushed by more than rounding: two segments meet a third in the corner between
    // them, and one push serves both.
    if (!(short_of > (c.touches ? 0 : least)) && c.push == 0 && !(rubbing && c.most_rub > 0)) {
      c.seen = clock;
      return 0.0;
    }
    if (c.give == 0) enter(c);
    const double push = std::max(0.0, c.push + short_of / c.give);
    double largest = apply(c, (push - c.push) * n);
    c.push = push;
    if (rubbing) {
      const Vector3d off = c.goal - set.mean(c, y);
      Vector3d rub = c.rub + (off - n.dot(off) * n) / c.give_across;
      rub -= n.dot(rub) * n;
      if (const double size = rub.norm(); size > c.most_rub) rub *= c.most_rub / size;
      largest = std::max(largest, apply(c, rub - c.rub));
      c.rub = rub;
    }
    // With other measures than masses what is along the surface moves what is across it, too.
    c.seen = c.columns.empty() ? clock : clock - 1;
    return largest;
  };
  for (int i = 0; i < most_sweeps; ++i) {
    std::atomic<double> largest = 0;
    for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
      ++clock;
      const std::span<ContactSet::Contact> range =
          std::span(set.contacts()).subspan(begins[r], begins[r + 1] - begins[r]);
      for_chunks<contacts_swept>(range.size(), [&](std::size_t first, std::size_t last) {
        double change = 0;
        for (ContactSet::Contact& c : range.subspan(first, last - first)) {
          const auto has_moved = [&](const ParticleShare& s) {
            return moved[static_cast<std::size_t>(s.particle)] > c.seen;
          };
          if (i == 0 || std::ranges::any_of(set.shares(c), has_moved)) change = std::max(change, look_at(c));
        }
        for (double before = largest; change > before && !largest.compare_exchange_weak(before, change);) {
        }
      });
    }
    if (i == 0) noticed = std::max(least, sweep_tolerance * largest);
    if (largest <= noticed) break;
  }
}

/// What rubs is held by at most μ times what would push without it. To follow the push as it then is need not
/// end: where what is along a surface moves what is across it far more than a push does, as of fibres that
/// are pushed along themselves, each makes the other grow.
template <class Enter>
void sweep(ContactSet& set, std::span<const std::size_t> begins, double friction, int most_sweeps,
           const ProjectedMotion& motion, double least, Moves& moves, std::span<double> y,
           const Enter& enter) {
  for (ContactSet::Contact& c : set.contacts()) c.push = 0, c.rub.setZero();
  relax(set, begins, false, most_sweeps, motion, least, moves, y, enter);
  if (!(friction > 0)) return;
  for (ContactSet::Contact& c : set.contacts()) c.most_rub = friction * c.push;
  relax(set, begins, true, most_sweeps, motion, least, moves, y, enter);
}

}  // namespace

void ContactSet::clear() {
  contacts_.clear();
  shares_.clear();
}

void ContactSet::add(double gap, const Vector3d& normal, const Vector3d& drift,
                     std::span<const ParticleShare> shares, bool crossing) {
  Contact& c = contacts_.emplace_back();
  c.normal = normal;
  c.drift = drift;
  c.gap = gap;
  c.crossing = crossing;
  c.first = shares_.size();
  c.count = shares.size();
  shares_.insert(shares_.end(), shares.begin(), shares.end());
}

void ContactSet::add_near(double gap, const Vector3d& normal, std::span<const ParticleShare> shares) {
  add(gap, normal, Vector3d::Zero(), shares);
  contacts_.back().touches = false;
}

void ContactSet::append(const ContactSet& others) {
  for (const Contact& c : others.contacts_) {
    add(c.gap, c.normal, c.drift, others.shares(c), c.crossing);
    contacts_.back().touches = c.touches;
  }
}

Vector3d ContactSet::mean(const Contact& c, std::span<const double> y) const {
  Vector3d sum = Vector3d::Zero();
  for (const auto& [i, share] : shares(c)) sum += share * Vector3d::Map(y.data() + 3 * i);
  return sum;
}

ProjectionReport project_contacts(const ProjectedMotion& motion, const ProjectionLaw& law,
                                  const FindContacts& find, const WatchContacts& watch) {
  ProjectionReport out;
  ContactSet set;
  std::vector<int> moved;  // what contacts of the set share or move and what is not held
  double left = 0;         // the deepest of those that are good enough
  const auto is_held = [&](int particle) {
    return !(motion.inverse_mass[static_cast<std::size_t>(particle)] > 0);
  };
  const auto found = [&] {
    set.clear();
    find(moved, set);
    std::erase_if(set.contacts(), [&](const ContactSet::Contact& c) {
      return std::ranges::all_of(set.shares(c),
                                 [&](const ParticleShare& s) { return s.share == 0 || is_held(s.particle); });
    });
    out.deepest = std::max(left, deepest_of(set));
    left = std::max(left, std::min(out.deepest, law.depth));
    if (out.passes > 0) keep_deep(set, law.depth, motion.response);
    if (motion.response) motion.response->prepare(set);
    find_give(set, motion);
    return touch(set);
  };
  if (!found()) return out;
  const double most = hopeless * std::max(out.deepest, 100 * law.depth);
  out.contacts = std::ranges::count_if(set.contacts(), &ContactSet::Contact::touches);
  out.crossings = std::ranges::count_if(set.contacts(), &ContactSet::Contact::crossing);
  Moves moves{std::vector<long>(motion.inverse_mass.size(), 0)};
  Ranges ranges(motion.inverse_mass.size());
  std::vector<char> has_way(motion.inverse_mass.size(), false);
  std::vector<double> way(motion.end.size());
  const auto note_impulses = [&] {
    if (motion.impulse.empty()) return;
    for (const ContactSet::Contact& c : set.contacts()) {
      const Vector3d impulse = c.push * c.normal + c.rub;
      Vector3d gone = c.drift;
      std::size_t pushed = 0;
      for (const auto& [particle, share] : set.shares(c)) {
        const auto i = static_cast<std::size_t>(particle);
        if (is_held(particle)) {
          gone -= share * Vector3d::Map(motion.velocity.data() + 3 * i);
        } else {
          Vector3d::Map(motion.impulse.data() + 3 * i) += share * impulse;
          pushed = i;
        }
      }
      motion.driven[pushed] += gone.dot(impulse);
    }
  };
  const auto begin = [&](int particle) {
    if (std::exchange(has_way[static_cast<std::size_t>(particle)], true)) return;
    for (std::size_t i = 3 * static_cast<std::size_t>(particle), end = i + 3; i < end; ++i)
      way[i] = motion.end[i] - motion.start[i];
  };
  const auto enter = [&](ContactSet::Contact& c) {
    find_give(c, set.shares(c), motion);
    for_particles(set, c, begin);
  };
  const auto nothing_new = [](const ContactSet::Contact&) { assert(false); };
  const auto forget = [&](int particle) { has_way[static_cast<std::size_t>(particle)] = false; };
  const auto arrive = [&](int particle) {
    if (!std::exchange(has_way[static_cast<std::size_t>(particle)], false) || is_held(particle)) return;
    moved.push_back(particle);
    for (std::size_t i = 3 * static_cast<std::size_t>(particle), end = i + 3; i < end; ++i)
      motion.end[i] = motion.start[i] + way[i];
  };
  int sweeps = std::min(law.first_sweeps, law.sweeps);
  do {
    ranges.arrange(set, motion.response);
    for (ContactSet::Contact& c : set.contacts()) {
      for_particles(set, c, begin);
      c.target = c.normal.dot(set.mean(c, way)) - c.gap;
      c.goal = motion.h * c.drift;
    }
    // Later passes mend what turning normals left: to rub again would hold things in each other.
    sweep(set, ranges.begins(), out.passes == 0 ? law.friction : 0, sweeps, motion,
          below_notice * law.depth, moves, way, enter);
    moved.clear();
    for (const ContactSet::Contact& c : set.contacts())
      if (c.acts()) for_particles(set, c, arrive);
    std::erase_if(set.contacts(), [&](const ContactSet::Contact& c) {
      for_particles(set, c, forget);
      return !c.acts();
    });
    ranges.arrange(set, motion.response);
    if (motion.response) motion.response->settle(set, motion.end);
    for (ContactSet::Contact& c : set.contacts()) {
      const double came = c.normal.dot(set.mean(c, motion.start_velocity) - c.drift);
      c.target = c.normal.dot(c.drift) - law.restitution * std::min(0.0, came);
      c.goal = c.drift;
    }
    if (motion.h > 0) {
      sweep(set, ranges.begins(), law.friction, sweeps, motion, law.depth / motion.h, moves,
            motion.velocity, nothing_new);
      note_impulses();
    }
    if (watch) watch(set);
    ++out.passes;
    sweeps = std::min(2 * sweeps, law.sweeps);
  } while (found() && out.deepest > law.depth && out.deepest < most && out.passes < most_passes);
  return out;
}

}  // namespace stiffly
