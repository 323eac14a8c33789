#include "stiffly/fibres/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_layout.hpp"

namespace stiffly {
namespace {

/// Of the tip's particles: what stands in for particles beyond the end of a shorter fibre. Nothing pulls
/// them, and they change no norm.
constexpr double stand_in_mass = 1e-20;

[[noreturn]] void fail(const MovingFibre& fibre, const std::string& what) {
  throw InputError(fmt::format("fibre {}: {}", fibre.number, what));
}

struct FibreArrays {
  BatchView view;
  double *start, *acceleration, *past[FibreBatch::past_slots];
};

FibreArrays lay_out_fibres(BatchLayout& layout, int sections) {
  const BatchSizes n(sections);
  FibreArrays out;
  out.view.sections = sections;
  out.view.mass = layout.take(n.particles);
  out.view.drag = layout.take(n.particles);
  out.view.load = layout.take(n.unknowns);
  out.view.stiffness = layout.take(n.springs);
  out.view.rest_length = layout.take(n.springs);
  out.view.damping_time = layout.take(1);
  out.view.x = layout.take(n.all_unknowns);
  out.view.v = layout.take(n.unknowns);
  out.view.strain = layout.take(n.springs);
  out.start = layout.take(n.unknowns);
  out.acceleration = layout.take(n.unknowns);
  for (double*& past : out.past) past = layout.take(n.unknowns);
  return out;
}

std::size_t array_entries(int lanes, int sections) {
  BatchLayout layout(lanes, nullptr);
  lay_out_fibres(layout, sections);
  return layout.used();
}

/// Where a spring between two particles is among those of a batch; −1 within the root. Throws InputError
/// where there is no place for it.
int slot_of(const MovingFibre& fibre, int first, int second) {
  const auto [from, to] = std::minmax(first, second);
  const int section = to / batch::corners, before = from / batch::corners;
  if (from < 0 || to >= static_cast<int>(fibre.shape.mass.size()) || from == to || section - before > 1)
    fail(fibre, fmt::format("a spring joins particles {} and {}, which are not in the same or neighbouring "
                            "cross-sections",
                            first, second));
  const int a = from % batch::corners, b = to % batch::corners;
  if (before < section) return batch::section_springs * before + batch::corners * a + b;
  const auto* pair =
      std::ranges::find_if(batch::pairs, [&](const auto& p) { return p[0] == a && p[1] == b; });
  return batch::section_springs * (section - 1) + batch::between + static_cast<int>(pair - batch::pairs);
}

/// The numbers of a fibre's particles, with more cross-sections behind the last where there are too few of
/// them, each as far from the one before as the last two are.
std::vector<double> extended(std::vector<double> x, std::size_t size) {
  for (std::size_t i = x.size(); i < size; ++i)
    x.push_back(2 * x[i - batch::section_size] - x[i - 2 * batch::section_size]);
  return x;
}

double distance(const std::vector<double>& x, int first, int second) {
  return std::hypot(x[static_cast<std::size_t>(3 * first)] - x[static_cast<std::size_t>(3 * second)],
                    x[static_cast<std::size_t>(3 * first + 1)] - x[static_cast<std::size_t>(3 * second + 1)],
                    x[static_cast<std::size_t>(3 * first + 2)] - x[static_cast<std::size_t>(3 * second + 2)]);
}

/// The positions a fibre starts at.
std::vector<double> start_of(const MovingFibre& fibre) {
  if (!fibre.position.empty()) return fibre.position;
  std::vector<double> out;
  for (const Eigen::Vector3d& p : fibre.shape.position) out.insert(out.end(), {p.x(), p.y(), p.z()});
  return out;
}

void check(const MovingFibre& fibre) {
  const FibreShape& shape = fibre.shape;
  if (shape.segments < 1) fail(fibre, "it has no segment");
  const std::size_t particles = batch::corners * (static_cast<std::size_t>(shape.segments) + 1);
  const auto check_size = [&](std::size_t size, std::size_t expected, const char* what, bool may_be_empty) {
    if (size != expected && !(may_be_empty && size == 0))
      fail(fibre, fmt::format("there are {} {} instead of {}", size, what, expected));
  };
  check_size(shape.mass.size(), particles, "masses", false);
  check_size(shape.position.size(), particles, "particles", false);
  check_size(fibre.position.size(), 3 * particles, "coordinates of positions", true);
  check_size(fibre.velocity.size(), 3 * particles, "coordinates of velocities", true);
  check_size(fibre.drag.size(), particles, "coefficients of drag", true);
  check_size(fibre.force.size(), 3 * particles, "coordinates of forces", true);
  for (const double m : shape.mass)
    if (!(std::isfinite(m) && m > 0))
      fail(fibre, fmt::format("a mass must be positive and finite, not {}", m));
  for (const double c : fibre.drag)
    if (!(std::isfinite(c) && c >= 0))
      fail(fibre, fmt::format("drag must be finite and not negative, not {}", c));
  for (const auto& values : {start_of(fibre), fibre.velocity, fibre.force})
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      fail(fibre, "positions, velocities and forces must be finite");
  for (const Spring& s : shape.springs) {
    check(s.material(), fmt::format("fibre {}, spring from {} to {}", fibre.number, s.first, s.second));
    if (s.law != SpringLaw::linear) fail(fibre, "springs of fibres in batches must be linear");
  }
}

/// β: what the dashpots are, over the stiffness beside them.
double damping_time(const MovingFibre& fibre) {
  double time = 0;
  for (const Spring& s : fibre.shape.springs)
    if (s.stiffness > 0) time = std::max(time, s.damping / s.stiffness);
  for (const Spring& s : fibre.shape.springs)
    if (std::abs(s.damping - time * s.stiffness) > 1e-12 * time * s.stiffness)
      fail(fibre, "the dashpots of its springs must be in proportion to their stiffness");
  return time;
}

}  // namespace

FibreBatch::FibreBatch(const BatchKernelTable& kernels, std::span<const MovingFibre> fibres,
                       const Eigen::Vector3d& gravity)
    : kernels_(&kernels) {
  if (fibres.empty() || fibres.size() > static_cast<std::size_t>(kernels.lanes))
    throw InputError(fmt::format("a batch takes 1 to {} fibres, not {}", kernels.lanes, fibres.size()));
  for (const MovingFibre& fibre : fibres) check(fibre);
  const int sections =
      std::ranges::max(fibres, {}, [](const MovingFibre& f) { return f.shape.segments; }).shape.segments;
  memory_.resize(array_entries(kernels.lanes, sections));
  BatchLayout layout(kernels.lanes, memory_.data());
  const FibreArrays arrays = lay_out_fibres(layout, sections);
  view_ = arrays.view;
  start_ = arrays.start;
  acceleration_ = arrays.acceleration;
  std::ranges::copy(arrays.past, past_);
  identities_.reserve(fibres.size());
  for (int lane = 0; lane < kernels.lanes; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    const MovingFibre& fibre = fibres[i < fibres.size() ? i : 0];
    load(lane, fibre, gravity);
    if (i >= fibres.size()) continue;
    std::vector<double> root = start_of(fibre);
    root.resize(batch::section_size);
    root.shrink_to_fit();
    identities_.push_back(
        {fibre.number, fibre.shape.segments, fibre.motion, std::move(root), fibre.obstacles});
    place_root(lane, 0, view_.x);
  }
  kernels.measure(view_, view_.x, view_.strain);
}

void FibreBatch::load(int lane, const MovingFibre& fibre, const Eigen::Vector3d& gravity) {
  const BatchSizes n(sections());
  const auto W = static_cast<std::size_t>(lanes()), offset = static_cast<std::size_t>(lane);
  const auto put = [&](double* array, std::size_t entry, double value) { array[W * entry + offset] = value; };
  constexpr std::size_t root = batch::section_size;
  const std::vector<double> x = extended(start_of(fibre), static_cast<std::size_t>(n.all_unknowns));
  for (std::size_t i = 0; i < x.size(); ++i) {
    put(view_.x, i, x[i]);
    if (i >= root) put(start_, i - root, x[i]);
  }
  for (std::size_t i = root; i < fibre.velocity.size(); ++i) put(view_.v, i - root, fibre.velocity[i]);
  const std::vector<double>& masses = fibre.shape.mass;
  for (std::size_t p = 0; p < static_cast<std::size_t>(n.particles); ++p) {
    const std::size_t i = p + batch::corners;
    put(view_.mass, p, i < masses.size() ? masses[i] : stand_in_mass * masses.back());
    if (i < fibre.drag.size()) put(view_.drag, p, fibre.drag[i]);
    for (std::size_t d = 0; d < 3; ++d) {
      const double weight = i < masses.size() ? masses[i] * gravity[static_cast<int>(d)] : 0;
      put(view_.load, 3 * p + d, weight + (3 * i < fibre.force.size() ? fibre.force[3 * i + d] : 0));
    }
  }
  load_springs(lane, fibre);
}

void FibreBatch::load_springs(int lane, const MovingFibre& fibre) {
  const BatchSizes n(sections());
  const auto W = static_cast<std::size_t>(lanes()), offset = static_cast<std::size_t>(lane);
  const std::vector<double> x = extended(start_of(fibre), static_cast<std::size_t>(n.all_unknowns));
  // Where there is no spring, one without stiffness: its length only has to be a length.
  for (int slot = 0; slot < n.springs; ++slot)
    view_.rest_length[W * static_cast<std::size_t>(slot) + offset] = distance(x, 0, batch::corners);
  std::vector<bool> taken(static_cast<std::size_t>(n.springs), false);
  for (const Spring& s : fibre.shape.springs) {
    if (std::max(s.first, s.second) < batch::corners) continue;  // between particles that are held
    const auto slot = static_cast<std::size_t>(slot_of(fibre, s.first, s.second));
    if (taken[slot]) fail(fibre, fmt::format("two springs join particles {} and {}", s.first, s.second));
    taken[slot] = true;
    view_.stiffness[W * slot + offset] = s.stiffness;
    view_.rest_length[W * slot + offset] = s.rest_length;
  }
  view_.damping_time[offset] = damping_time(fibre);
}

void FibreBatch::place_root(int lane, double t, double* x, double* v) const {
  const Identity& fibre = identity(lane);
  std::vector<double> root = fibre.root, velocity(root.size());
  if (fibre.motion) fibre.motion->place(t, fibre.root, root, velocity);
  for (std::size_t i = 0; i < root.size(); ++i) {
    const std::size_t k = static_cast<std::size_t>(lanes()) * i + static_cast<std::size_t>(lane);
    x[k] = root[i];
    if (v) v[k] = velocity[i];
  }
}

namespace {

std::vector<double> gather(const double* array, int lanes, int lane, int entries) {
  std::vector<double> out;
  for (int i = 0; i < entries; ++i) out.push_back(array[lanes * i + lane]);
  return out;
}

}  // namespace

std::vector<double> FibreBatch::positions(int lane) const {
  return gather(view_.x, lanes(), lane, batch::section_size * (segments(lane) + 1));
}

std::vector<double> FibreBatch::velocities(int lane) const {
  return gather(view_.v, lanes(), lane, batch::section_size * segments(lane));
}

void FibreBatch::centre_line(int lane, double* x, double* v) const {
  const auto middle = [&](const double* section, double* out) {
    for (int d = 0; d < 3; ++d) {
      double sum = 0;
      for (int corner = 0; corner < batch::corners; ++corner)
        sum += section[lanes() * (3 * corner + d) + lane];
      out[d] = sum / batch::corners;
    }
  };
  const int size = lanes() * batch::section_size;
  for (int s = 0; s <= segments(lane); ++s) middle(view_.x + size * s, x + 3 * s);
  for (int s = 0; s < segments(lane); ++s) middle(view_.v + size * s, v + 3 * s);
}

// Each particle takes a quarter of the force, and moves the middle by a quarter of its own way.
void FibreBatch::inverse_masses(int lane, double* out) const {
  for (int s = 0; s < segments(lane); ++s) {
    out[s] = 0;
    for (int p = batch::corners * s; p < batch::corners * (s + 1); ++p)
      out[s] += 1 / (batch::corners * batch::corners * view_.mass[lanes() * p + lane]);
  }
}

double FibreBatch::displace(int lane, double t, const SectionWay& way, const SectionWay& faster) {
  using Eigen::Vector3d;
  const double before = measured_energy(lane, t);
  const std::vector<double> x = positions(lane);
  const std::vector<Vector3d> line = stiffly::centre_line(x);
  for (int s = 0; s < segments(lane); ++s) {
    const auto at = static_cast<std::size_t>(s);
    const double angle = way.turn[at].norm();
    const Eigen::AngleAxisd turn(angle, angle > 0 ? Vector3d(way.turn[at] / angle) : Vector3d::UnitX());
    for (int p = batch::corners * s; p < batch::corners * (s + 1); ++p) {
      const Vector3d arm = Vector3d::Map(x.data() + 3 * (p + batch::corners)) - line[at + 1];
      const Vector3d dx = way.middle[at] + (turn * arm - arm),
                     dv = faster.middle[at] + faster.turn[at].cross(arm);
      for (int d = 0; d < 3; ++d) {
        view_.x[lanes() * (3 * (p + batch::corners) + d) + lane] += dx[d];
        view_.v[lanes() * (3 * p + d) + lane] += dv[d];
      }
    }
  }
  return before - measured_energy(lane, t);
}

double FibreBatch::measured_energy(int lane, double t) {
  using Eigen::Vector3d;
  const int W = lanes();
  const double* free_x = view_.x + W * batch::section_size;
  double energy = 0;
  for (int i = 0; i < batch::section_size * segments(lane); ++i) {
    const int k = W * i + lane;
    energy += view_.mass[W * (i / 3) + lane] * view_.v[k] * view_.v[k] / 2 - view_.load[k] * free_x[k];
  }
  const auto particle = [&](int p) {
    return Vector3d(view_.x[W * 3 * p + lane], view_.x[W * (3 * p + 1) + lane],
                    view_.x[W * (3 * p + 2) + lane]);
  };
  for (int s = 0; s < segments(lane); ++s) {
    const int before = batch::corners * s, own = before + batch::corners;
    for (int slot = 0; slot < batch::section_springs; ++slot) {
      const int pair = slot - batch::between;
      const int first = pair < 0 ? before + slot / batch::corners : own + batch::pairs[pair][0];
      const int second = own + (pair < 0 ? slot % batch::corners : batch::pairs[pair][1]);
      const int k = W * (batch::section_springs * s + slot) + lane;
      view_.strain[k] = (particle(second) - particle(first)).norm() - view_.rest_length[k];
      energy += view_.stiffness[k] * view_.strain[k] * view_.strain[k] / 2;
    }
  }
  if (!obstacles(lane)) return energy;
  for (const FibreObstacles& group : *obstacles(lane)) {
    const std::vector<PlacedShape> shapes = group.at(t);
    for (int p = batch::corners; p < batch::corners * (segments(lane) + 1); p += batch::corners)
      for (const PlacedShape& shape : shapes)
        if (const auto d = group.within_range(
                shape, (particle(p) + particle(p + 1) + particle(p + 2) + particle(p + 3)) / 4))
          energy += group.law.energy(d->value - group.radius);
  }
  return energy;
}

// From positions on, as lay_out_fibres has them; where fibres start is among them and does not.
std::span<double> FibreBatch::changing_memory() { return {view_.x, memory_.data() + memory_.size()}; }

void FibreBatch::put_back(int lane, std::span<const double> memory) {
  const std::span<double> now = changing_memory();
  for (const auto& [numbers, count] : changing()) {
    const auto offset = numbers - now.data();
    for (int i = 0; i < count; ++i)
      numbers[lanes() * i + lane] = memory[static_cast<std::size_t>(offset + lanes() * i + lane)];
  }
}

std::vector<std::pair<double*, int>> FibreBatch::changing() const {
  const BatchSizes n(sections());
  std::vector<std::pair<double*, int>> out = {{view_.x, n.all_unknowns},
                                              {view_.v, n.unknowns},
                                              {view_.strain, n.springs},
                                              {acceleration_, n.unknowns}};
  for (double* past : past_) out.push_back({past, n.unknowns});
  return out;
}

// x, v, δ, acceleration and past: as `changing` has them.
std::size_t FibreBatch::saved_size(int sections) {
  const BatchSizes n(sections);
  return static_cast<std::size_t>(n.all_unknowns + (2 + past_slots) * n.unknowns + n.springs);
}

std::vector<double> FibreBatch::save(int lane) const {
  std::vector<double> out;
  out.reserve(saved_size(sections()));
  for (const auto& [array, entries] : changing())
    for (const double value : gather(array, lanes(), lane, entries)) out.push_back(value);
  return out;
}

void FibreBatch::restore(int lane, std::span<const double> numbers) {
  if (numbers.size() != saved_size(sections()) ||
      !std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); }))
    throw InputError(fmt::format("fibre {}: what was saved of it is damaged", number(lane)));
  auto next = numbers.begin();
  for (const auto& [array, entries] : changing())
    for (int i = 0; i < entries; ++i) array[lanes() * i + lane] = *next++;
}

std::size_t FibreBatch::memory(int lanes, int sections, int fibres) {
  const std::size_t of_each = sizeof(Identity) + batch::section_size * sizeof(double);
  return array_entries(lanes, sections) * sizeof(double) + static_cast<std::size_t>(fibres) * of_each;
}

}  // namespace stiffly
