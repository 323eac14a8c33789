#include "stiffly/fibres/fibre_contact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/contact/low_points.hpp"
#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/stopwatch.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr int most_interval_halvings = 6;
constexpr std::size_t fibres_looked_at = 256;

std::vector<std::size_t> first_nodes(std::span<const int> segments) {
  std::vector<std::size_t> out = {0};
  for (const int count : segments) out.push_back(out.back() + static_cast<std::size_t>(count) + 1);
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

}  // namespace

FibreContact::FibreContact(FibreSimulation& fibres, std::span<const int> segments, const FibreContactLaw& law)
    : fibres_(fibres),
      law_(law),
      first_node_(first_nodes(segments)),
      inverse_mass_(first_node_.back(), 0.0),
      segments_(centre_lines(segments, law)) {
  law.projection.check();
  if (!(std::isfinite(law.interval) && law.interval > 0))
    throw InputError(fmt::format("the interval of contact must be positive, not {} s", law.interval));
  for (std::size_t i = 0; i < segments.size(); ++i)
    fibres_.inverse_masses(i, inverse_mass_.data() + first_node_[i] + 1);
  for (Nodes* nodes : {&start_, &end_}) {
    nodes->x.assign(3 * first_node_.back(), 0.0);
    nodes->v.assign(3 * first_node_.back(), 0.0);
  }
}

// Of each node four times x and v, its mass, body and pairs; of each segment its boxes; all that batches keep
// once more.
std::size_t FibreContact::memory(std::span<const int> segments) {
  constexpr std::size_t of_node = 5 * 6 * sizeof(double) + 500;
  return first_nodes(segments).back() * of_node + FibreSimulation::saved_memory(segments);
}

ProjectionReport FibreContact::advance(double until) {
  const double from = fibres_.time();
  const int count = std::max(1, static_cast<int>(std::ceil((until - from) / law_.interval * (1 - 1e-9))));
  gather(end_);
  report_ = {};
  for (int k = 1; k <= count; ++k) step(k == count ? until : from + (until - from) * k / count, 0);
  return report_;
}

void FibreContact::step(double until, int halvings) {
  const double from = fibres_.time(), h = until - from;
  if (halvings == 0) std::swap(start_, end_);
  double clock = processor_seconds();
  const auto spend = [&](double& sum) { sum += -clock + processor_seconds(), clock = processor_seconds(); };
  fibres_.keep();
  fibres_.advance(until);
  gather(end_);
  // Velocities of roots are the means over the interval.
  for (std::size_t i = 0; i + 1 < first_node_.size(); ++i)
    for (std::size_t k = 3 * first_node_[i]; k < 3 * first_node_[i] + 3; ++k)
      start_.v[k] = end_.v[k] = (end_.x[k] - start_.x[k]) / h;
  const Nodes before = end_;
  const bool by_stiffness = law_.projection.measure == ProjectionMeasure::stiffness;
  SectionMeasure measure(fibres_, first_node_, before.x, h);
  spend(seconds_.fibres);
  bool begun = false;
  ProjectionReport did = project_contacts(
      {h, inverse_mass_, start_.x, start_.v, end_.x, end_.v, by_stiffness ? &measure : nullptr},
      law_.projection, [&](ContactSet& contacts) {
        spend(seconds_.response);
        if (!are_finite(end_.x)) return;  // which ends the interval
        if (!begun && law_.each_other) segments_.begin(start_.x, end_.x);
        if (!begun) touched_.assign(fibres_.size(), true);
        begun = true;
        find(until, contacts);
        spend(seconds_.detection);
        if (by_stiffness) measure.prepare(contacts);
      });
  if (!are_finite(end_.x))
    throw SimulationError(
        fmt::format("putting fibres apart at t = {:.6g} s led to numbers that are not finite: take a shorter "
                    "'interval' in [contact]",
                    until));
  if (did.deepest > law_.projection.depth && halvings < most_interval_halvings) {
    ++report_.halvings;
    fibres_.go_back();
    spend(seconds_.response);
    step(from + h / 2, halvings + 1);
    std::swap(start_, end_);
    step(until, halvings + 1);
    return;
  }
  did.taken = displace(before, measure);
  report_ += did;
  spend(seconds_.response);
}

void FibreContact::gather(Nodes& out) const {
  for_chunks<64>(fibres_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      fibres_.centre_line(i, out.x.data() + 3 * first_node_[i], out.v.data() + 3 * (first_node_[i] + 1));
  });
}

void FibreContact::find(double time, ContactSet& out) {
  if (law_.each_other) segments_.add(end_.x, out);
  if (!law_.obstacles.empty()) add_obstacles(time, out);
}

// Nodes, and places between them that are deeper than those around. Fibres that touched nothing and have not
// moved since touch nothing now.
void FibreContact::add_obstacles(double time, ContactSet& out) {
  const std::vector<PlacedShape> shapes = placed(law_.obstacles, time);
  std::vector<ContactSet> parts((fibres_.size() + fibres_looked_at - 1) / fibres_looked_at);
  const auto place = [&](std::size_t node) { return Vector3d::Map(end_.x.data() + 3 * node); };
  for_chunks<fibres_looked_at>(fibres_.size(), [&](std::size_t first, std::size_t last) {
    ContactSet& part = parts[first / fibres_looked_at];
    const auto add = [&](const PlacedShape& shape, const Distance& d, const Vector3d& x,
                         std::initializer_list<ParticleShare> shares) {
      part.add(d.value - law_.radius, d.gradient, shape.velocity(x), shares);
    };
    for (std::size_t i = first; i < last; ++i) {
      if (!touched_[i] &&
          std::equal(end_.x.data() + 3 * first_node_[i], end_.x.data() + 3 * first_node_[i + 1],
                     looked_at_.data() + 3 * first_node_[i]))
        continue;
      const std::size_t before = part.size();
      for (std::size_t node = first_node_[i] + 1; node < first_node_[i + 1]; ++node)
        for (const PlacedShape& shape : shapes) {
          const Vector3d from = place(node - 1), to = place(node);
          const int number = static_cast<int>(node);
          if (const auto d = shape.within(law_.radius, to)) add(shape, *d, to, {{number, 1.0}});
          LowPoints(shape, law_.radius).between(from, to, [&](double s, const Distance& d) {
            add(shape, d, from + s * (to - from), {{number - 1, 1 - s}, {number, s}});
          });
        }
      touched_[i] = part.size() > before;
    }
  });
  for (const ContactSet& part : parts) out.append(part);
  looked_at_ = end_.x;
}

double FibreContact::displace(const Nodes& before, SectionMeasure& measure) {
  std::vector<double> taken(fibres_.size(), 0.0);
  for_chunks<64>(fibres_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t from = first_node_[i] + 1, to = first_node_[i + 1];
      const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
        return std::equal(a.data() + 3 * from, a.data() + 3 * to, b.data() + 3 * from);
      };
      if (same(before.x, end_.x) && same(before.v, end_.v)) continue;
      std::vector<Vector3d> faster;
      for (std::size_t node = from; node < to; ++node)
        faster.emplace_back(Vector3d::Map(end_.v.data() + 3 * node) -
                            Vector3d::Map(before.v.data() + 3 * node));
      const SectionWay way = measure.way(i, end_.x);
      taken[i] = fibres_.displace(i, way, measure.spinning(i, std::move(faster)));
    }
  });
  double sum = 0;
  for (const double joule : taken) sum += joule;
  return sum;
}

}  // namespace stiffly
