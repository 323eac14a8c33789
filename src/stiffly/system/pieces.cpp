#include "stiffly/system/pieces.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Point = std::array<double, 3>;

Partition partition_of(const ParticleSystem& system) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto& force : system.forces()) force->add_pairs(system.particles(), pairs);
  return Partition(system.pattern()->components(), pairs);
}

Particles particles_of(const ParticleSystem& system, std::span<const int> numbers,
                       std::span<const double> v) {
  Particles out;
  for (const int number : numbers) {
    const auto i = static_cast<std::size_t>(number);
    const auto x = system.start_positions();
    const bool free = i < system.free_particles();
    out.position.push_back({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
    out.velocity.push_back(free ? Point{v[3 * i], v[3 * i + 1], v[3 * i + 2]} : Point{0, 0, 0});
    out.mass.push_back(system.masses()[i]);
    out.pinned.push_back(!free);
  }
  return out;
}

/// Motions of the prescribed particles that belong to the piece.
void prescribe(const ParticleSystem& whole, std::span<const int> numbers, ParticleSystem& piece) {
  for (const ParticleSystem::Group& group : whole.motions()) {
    std::vector<int> followers;
    for (std::size_t i = piece.free_particles(); i < numbers.size(); ++i)
      if (std::binary_search(group.particles.begin(), group.particles.end(), numbers[i]))
        followers.push_back(static_cast<int>(i));
    if (!followers.empty()) piece.prescribe(followers, group.motion);
  }
}

/// Calls visit(entry of the piece, entry of the whole) for all positions and velocities.
template <class Visit>
void for_entries(std::span<const int> particles, std::size_t unknowns, const Visit& visit) {
  const std::size_t own = 3 * particles.size();
  for (std::size_t i = 0; i < particles.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t here = 3 * i + axis, there = 3 * static_cast<std::size_t>(particles[i]) + axis;
      visit(here, there);
      visit(own + here, unknowns + there);
    }
}

}  // namespace

State Piece::part_of(const State& whole) const {
  const auto from = host(whole.y);
  std::vector<double> y(6 * particles.size());
  for_entries(particles, whole.unknowns(),
              [&](std::size_t here, std::size_t there) { y[here] = from[there]; });
  return State(whole.time, Vector(y));
}

void Piece::put(const State& part, State& whole) const {
  const auto from = host(part.y);
  double* y = whole.y.data();
  for_entries(particles, whole.unknowns(),
              [&](std::size_t here, std::size_t there) { y[there] = from[here]; });
}

std::vector<Piece> pieces_of(const ParticleSystem& system) {
  if (!system.mass().is_diagonal())
    throw InputError("a system whose mass matrix is not diagonal cannot be taken apart");
  const Partition partition = partition_of(system);
  const std::vector<double> v = to_host(system.initial_state().v());
  std::vector<Piece> out(partition.pieces());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::span<const int> numbers = partition.particles(i);
    out[i].system = std::make_unique<ParticleSystem>(particles_of(system, numbers, v));
    out[i].particles.assign(numbers.begin(),
                            numbers.begin() + static_cast<std::ptrdiff_t>(partition.free(i)));
    prescribe(system, numbers, *out[i].system);
    std::vector<int> names;
    for (const int number : numbers) names.push_back(system.order()[static_cast<std::size_t>(number)]);
    out[i].system->call_particles(std::move(names));
  }
  for (const auto& force : system.forces()) {
    std::vector<std::unique_ptr<Force>> parts = force->parts(partition);
    if (parts.size() != out.size())
      throw InputError(fmt::format("the force \"{}\" cannot be divided among pieces", force->name()));
    for (std::size_t i = 0; i < out.size(); ++i) out[i].system->add(std::move(parts[i]));
  }
  for (Piece& piece : out) piece.system->finish();
  return out;
}

}  // namespace stiffly
