#include "stiffly/contact/contact_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr int most_passes = 30, most_sweeps = 400;
constexpr double sweep_tolerance = 1e-12;  ///< of the largest change of the first sweep

}  // namespace

/// n·Σ share_i y_i ≥ target; along the surface Σ share_i y_i is drawn to `goal`, by at most μ times the push.
struct ContactProjection::Contact {
  ContactLine line;
  double give = 0;  ///< Σ share²/m
  double target = 0, push = 0;
  Vector3d goal = Vector3d::Zero(), rub = Vector3d::Zero();
};

ContactProjection::ContactProjection(const ParticleSystem& system, const ProjectionLaw& law)
    : system_(system), law_(law) {
  if (!(law.restitution >= 0 && law.restitution <= 1))
    throw InputError(fmt::format("the restitution must be between 0 and 1, not {}", law.restitution));
  if (!(std::isfinite(law.friction) && law.friction >= 0))
    throw InputError(
        fmt::format("the friction coefficient must be finite and not negative, not {}", law.friction));
  if (!(std::isfinite(law.depth) && law.depth > 0))
    throw InputError(
        fmt::format("the depth of overlaps that are left must be positive, not {} m", law.depth));
  const auto rest = system.start_positions();
  for (auto* all : {&start_, &x_}) all->assign(rest.begin(), rest.end());
  for (auto* all : {&start_v_, &v_}) all->assign(rest.size(), 0.0);
}

void ContactProjection::add(std::shared_ptr<const Force> owner, std::unique_ptr<ContactSource> source) {
  parts_.push_back({std::move(owner), std::move(source)});
}

void ContactProjection::count(const ProjectionReport& step) {
  report_.contacts = std::max(report_.contacts, step.contacts);
  report_.passes += step.passes;
  report_.halvings += step.halvings;
  report_.deepest = std::max(report_.deepest, step.deepest);
  report_.taken += step.taken;
}

std::vector<ContactProjection::Contact> ContactProjection::find(double time, double& deepest) {
  const std::size_t free = system_.free_particles();
  std::vector<Contact> out;
  deepest = 0;
  for (const Part& part : parts_) {
    const Configuration q{time, free, x_, v_};
    const std::vector<ContactSource::Key> keys = part.source->find({.end = q}, 0);
    part.source->place(q);
    for (const ContactSource::Key& key : keys) {
      Contact contact;
      contact.line = part.source->line(key);
      if (!(contact.line.gap < 0) || contact.line.normal.isZero(0)) continue;
      for (const auto& [particle, share] : contact.line.shares)
        if (static_cast<std::size_t>(particle) < free)
          contact.give += share * share / system_.masses()[static_cast<std::size_t>(particle)];
      if (contact.give == 0) continue;
      deepest = std::max(deepest, -contact.line.gap);
      out.push_back(std::move(contact));
    }
  }
  return out;
}

void ContactProjection::sweep(std::vector<Contact>& contacts, double friction, std::vector<double>& y) const {
  const auto apply = [&](const Contact& c, const Vector3d& impulse) {
    for (const auto& [particle, share] : c.line.shares)
      if (const auto i = static_cast<std::size_t>(particle); i < system_.free_particles())
        Vector3d::Map(y.data() + 3 * i) += share / system_.masses()[i] * impulse;
  };
  for (Contact& c : contacts) c.push = 0, c.rub.setZero();
  double first = 0;
  for (int i = 0; i < most_sweeps; ++i) {
    double largest = 0;
    for (Contact& c : contacts) {
      const Vector3d& n = c.line.normal;
      const double push = std::max(0.0, c.push + (c.target - n.dot(c.line.mean(y))) / c.give);
      apply(c, (push - c.push) * n);
      largest = std::max(largest, std::abs(push - c.push) * c.give);
      c.push = push;
      if (friction == 0) continue;
      const Vector3d off = c.goal - c.line.mean(y);
      Vector3d rub = c.rub + (off - n.dot(off) * n) / c.give;
      rub -= n.dot(rub) * n;
      if (const double most = friction * c.push, size = rub.norm(); size > most) rub *= most / size;
      apply(c, rub - c.rub);
      largest = std::max(largest, (rub - c.rub).norm() * c.give);
      c.rub = rub;
    }
    if (i == 0) first = largest;
    if (largest <= sweep_tolerance * first) break;
  }
}

ProjectionReport ContactProjection::project(const State& from, State& to) {
  ProjectionReport out;
  const double h = to.time - from.time;
  system_.place(from.time, from.x(), from.v(), start_, start_v_);
  system_.place(to.time, to.x(), to.v(), x_, v_);
  std::vector<Contact> contacts = find(to.time, out.deepest);
  if (contacts.empty()) return out;
  const double before = system_.energy(to);
  out.contacts = static_cast<long>(contacts.size());
  std::vector<double> way(x_.size());
  do {
    for (std::size_t i = 0; i < way.size(); ++i) way[i] = x_[i] - start_[i];
    for (Contact& c : contacts) {
      c.target = c.line.normal.dot(c.line.mean(way)) - c.line.gap;
      c.goal = h * c.line.drift;
    }
    // Later passes mend what turning normals left: to rub again would hold things in each other.
    sweep(contacts, out.passes == 0 ? law_.friction : 0, way);
    for (std::size_t i = 0; i < system_.unknowns(); ++i) x_[i] = start_[i] + way[i];
    for (Contact& c : contacts) {
      const double came = c.line.normal.dot(c.line.mean(start_v_) - c.line.drift);
      c.target = c.line.normal.dot(c.line.drift) - law_.restitution * std::min(0.0, came);
      c.goal = c.line.drift;
    }
    sweep(contacts, law_.friction, v_);
    ++out.passes;
    contacts = find(to.time, out.deepest);
  } while (out.deepest > law_.depth && out.passes < most_passes);
  const auto put = [&](std::span<const double> all, VectorView part) {
    copy(Vector(all.first(part.size())), part);
  };
  put(x_, to.x());
  put(v_, to.v());
  out.taken = before - system_.energy(to);
  return out;
}

}  // namespace stiffly
