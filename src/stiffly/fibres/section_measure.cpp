#include "stiffly/fibres/section_measure.hpp"

#include <algorithm>

#include "stiffly/linalg/parallel.hpp"

namespace stiffly {

using Eigen::Vector3d;

namespace {

constexpr std::size_t fibres_together = 16;

}  // namespace

std::vector<std::size_t> SectionMeasure::fibres_of(const ContactSet& contacts) const {
  std::vector<std::size_t> out;
  for (const ContactSet::Contact& c : contacts.contacts()) {
    if (!c.acts()) continue;
    for (const ParticleShare& share : contacts.shares(c))
      if (const std::size_t fibre = fibre_of(share); !is_held(fibre)) out.push_back(fibre);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

SectionMeasure::Pushed& SectionMeasure::pushed(std::size_t fibre) {
  std::unique_ptr<Pushed>& out = pushed_[fibre];
  if (!out) out = std::make_unique<Pushed>(Pushed{fibres_.chain(fibre, h_), {}});
  return *out;
}

std::vector<Vector3d> SectionMeasure::middles(std::size_t fibre, std::span<const double> x) const {
  std::vector<Vector3d> out;
  for (std::size_t node = first_node_[fibre] + 1; node < first_node_[fibre + 1]; ++node)
    out.emplace_back(Vector3d::Map(x.data() + 3 * node) - Vector3d::Map(x_.data() + 3 * node));
  return out;
}

void SectionMeasure::prepare(const ContactSet& contacts) {
  const std::vector<std::size_t> fibres = fibres_of(contacts);
  for_chunks<fibres_together>(fibres.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) begin(fibres[k]);
  });
}

void SectionMeasure::begin(std::size_t fibre) {
  auto& [chain, way] = pushed(fibre);
  way.middle.resize(chain.sections(), Vector3d::Zero());
  way.turn.resize(chain.sections(), Vector3d::Zero());
}

std::vector<ImpulseColumn> SectionMeasure::columns(std::span<const ParticleShare> shares) {
  std::vector<ImpulseColumn> out;
  std::size_t done = pushed_.size();
  for (const ParticleShare& share : shares) {
    const std::size_t fibre = fibre_of(share);
    if (fibre == done || is_held(fibre)) continue;  // a fibre's nodes are looked for once
    done = fibre;
    if (!pushed_[fibre] || pushed_[fibre]->way.middle.empty()) begin(fibre);
    const std::size_t root = first_node_[fibre];
    const SectionChain& chain = pushed_[fibre]->chain;
    std::vector<double> parts(chain.sections(), 0.0);
    for (const auto& [particle, part] : shares)
      if (const auto node = static_cast<std::size_t>(particle); node > root && node < first_node_[fibre + 1])
        parts[node - root - 1] += part;
    const std::vector<Eigen::Matrix3d> ways = chain.ways(parts);
    for (std::size_t k = 0; k < ways.size(); ++k)
      out.push_back({static_cast<int>(root + 1 + k), ways[k].cast<float>()});
  }
  return out;
}

void SectionMeasure::settle(const ContactSet& contacts, std::span<double> end) {
  const std::vector<std::size_t> fibres = fibres_of(contacts);
  for_chunks<fibres_together>(fibres.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t fibre = fibres[k];
      Pushed& here = *pushed_[fibre];
      const SectionWay before = std::move(here.way);
      here.way = {middles(fibre, end), before.turn};
      std::vector<Vector3d> further = here.way.middle;
      for (std::size_t s = 0; s < further.size(); ++s) further[s] -= before.middle[s];
      const std::vector<Vector3d> turns = here.chain.turns(further);
      for (std::size_t s = 0; s < turns.size(); ++s) here.way.turn[s] += turns[s];
      here.chain.settle(before, here.way);
      for (std::size_t s = 0; s < turns.size(); ++s) {
        const std::size_t at = 3 * (first_node_[fibre] + 1 + s);
        Vector3d::Map(end.data() + at) = Vector3d::Map(x_.data() + at) + here.way.middle[s];
      }
    }
  });
}

SectionWay SectionMeasure::way(std::size_t fibre, std::span<const double> end) {
  if (pushed_[fibre] && !pushed_[fibre]->way.middle.empty()) return pushed_[fibre]->way;
  return spinning(fibre, middles(fibre, end));
}

double SectionMeasure::farthest_turn(std::size_t fibre) const {
  double out = 0;
  for (const Vector3d& turn : pushed_[fibre]->way.turn) out = std::max(out, turn.norm());
  return out;
}

SectionWay SectionMeasure::spinning(std::size_t fibre, std::vector<Vector3d> change) {
  std::vector<Vector3d> turn = pushed(fibre).chain.turns(change);
  return {std::move(change), std::move(turn)};
}

}  // namespace stiffly
