#include "stiffly/fibres/batch_exponential.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {
namespace {

constexpr int root_entries = batch::section_size;

/// The nodes of a tableau and the end of the step, ascending.
std::vector<double> all_nodes(const ExponentialTableau& tableau) {
  std::vector<double> out = tableau.nodes;
  out.push_back(1);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

template <class Workspace, class Visit>
void for_step_arrays(Workspace& work, int sections, const Visit& visit) {
  const BatchSizes n(sections);
  for (auto* array : {&work.stage_x, &work.stage_v}) visit(*array, n.all_unknowns);
  for (auto* array : {&work.force, &work.force_rate, &work.linear, &work.stage_force})
    visit(*array, n.unknowns);
  for (auto* arrays : {&work.b, &work.flow})
    for (auto& array : *arrays) visit(array, 2 * n.unknowns);
}

}  // namespace

ExponentialWorkspace::ExponentialWorkspace(int lanes, int sections, int nodes_of)
    : parts(nodes_of),
      phi(lanes, sections, nodes_of),
      b(PhiWorkspace::most_border),
      flow(PhiWorkspace::most_border) {
  for_step_arrays(*this, sections, [&](LineVector& array, int entries) {
    array.resize(static_cast<std::size_t>(lanes) * static_cast<std::size_t>(entries));
  });
}

std::size_t ExponentialWorkspace::memory(int lanes, int sections, int parts) {
  std::size_t entries = 0;
  const ExponentialWorkspace none(0, 0, 0);
  for_step_arrays(none, sections,
                  [&](const LineVector&, int count) { entries += static_cast<std::size_t>(count); });
  return PhiWorkspace::memory(lanes, sections, parts) +
         entries * static_cast<std::size_t>(lanes) * sizeof(double);
}

bool ExponentialAdvance::knows(const ExponentialTableau& tableau) {
  return tableau.linear_part == LinearPart::dynamic && tableau.couplings.empty();
}

std::size_t ExponentialAdvance::memory(int lanes, int sections, const ExponentialTableau& tableau) {
  return ExponentialWorkspace::memory(lanes, sections, PhiNodes::of(all_nodes(tableau)).parts);
}

ExponentialAdvance::ExponentialAdvance(FibreBatch& batch, std::span<FibreProgress> progress,
                                       const FibreSteps& steps, BatchWorkspace& workspace, double until)
    : batch_(batch),
      progress_(progress),
      steps_(steps),
      tableau_(*steps.exponential),
      kernels_(batch.kernels()),
      nodes_(PhiNodes::of(all_nodes(tableau_))),
      work_(workspace.exponential(nodes_.parts)),
      view_(workspace.view(batch)),
      phi_(batch, view_, work_.phi),
      until_(until),
      unknowns_(batch::section_size * batch.sections()),
      amplification_(std::max(1.0, weight_size(tableau_))) {
  view_.push = nullptr;
  for (const StageTerm& weight : tableau_.weights)
    for (const PhiTerm& term : weight.terms) border_ = std::max(border_, term.phi);
  for (int i = 0; i < batch.fibres(); ++i) driven_ = driven_ || batch.is_driven(i);
  std::ranges::fill(work_.stage_v, 0.0);
  std::copy_n(view_.x, size(root_entries), work_.stage_x.data());
}

FibreWork ExponentialAdvance::run() {
  double t = progress_.front().time;
  while (t < until_) {
    const double left = until_ - t, count = std::max(1.0, std::ceil(left / steps_.step * (1 - 1e-9)));
    const double h = left / count;
    step(t, h);
    t = count == 1 ? until_ : t + h;
    for (FibreProgress& p : progress_) {
      p.time = t;
      ++p.work.steps;
    }
  }
  for (int i = 0; i < batch_.fibres(); ++i) progress_[static_cast<std::size_t>(i)].work += phi_.work(i);
  return phi_.batch_work();
}

void ExponentialAdvance::step(double t, double h) {
  linearize(t, h);
  const std::vector<double> none(static_cast<std::size_t>(batch_.lanes()), 0.0);
  std::vector<double*> flow;
  for (std::size_t i = 0; i < nodes_.at.size(); ++i) flow.push_back(work_.flow[i].data());
  const double* const linear[] = {work_.b[0].data(), driven_ ? work_.b[1].data() : nullptr};
  phi_.evaluate(linear, nodes_, steps_.phi_tolerance / amplification_, none, flow);
  const std::vector<double> sizes(phi_.sizes().begin(), phi_.sizes().end());

  // y + Σ_k φ_k(hJ) b_k, of the flow first.
  double *end_x = view_.end_x + size(root_entries), *end_v = view_.z;
  const double *end = flow.back(), *x = view_.x + size(root_entries);
  for (std::size_t i = 0; i < size(unknowns_); ++i) {
    end_x[i] = x[i] + end[i];
    end_v[i] = view_.v[i] + end[size(unknowns_) + i];
  }
  if (!tableau_.weights.empty()) {
    for (std::size_t k = 2; k < work_.b.size(); ++k) std::ranges::fill(work_.b[k], 0.0);
    for (std::size_t stage = 0; stage < tableau_.nodes.size(); ++stage)
      add_remainder(t, h, static_cast<int>(stage));
    const double* b[PhiWorkspace::most_border] = {};
    for (int k = 2; k < border_; ++k) b[k] = work_.b[static_cast<std::size_t>(k)].data();
    double* const correction = work_.flow.front().data();
    phi_.evaluate(std::span(b).first(static_cast<std::size_t>(border_)), {}, steps_.phi_tolerance, sizes,
                  {&correction, 1});
    for (std::size_t i = 0; i < size(unknowns_); ++i) {
      end_x[i] += correction[i];
      end_v[i] += correction[size(unknowns_) + i];
    }
  }
  for (int i = 0; i < batch_.fibres(); ++i) batch_.place_root(i, t + h, view_.end_x);
  arrive(t, h);
}

void ExponentialAdvance::force_at(double t, LineVector& out) {
  for (int i = 0; i < batch_.fibres(); ++i)
    batch_.place_root(i, t, work_.stage_x.data(), work_.stage_v.data());
  kernels_.force(view_, work_.stage_x.data(), work_.stage_v.data(), out.data());
}

// ∂F/∂t is a central difference, as SecondOrderSystem has it.
void ExponentialAdvance::linearize(double t, double h) {
  const auto W = static_cast<std::size_t>(batch_.lanes());
  std::copy_n(view_.x + size(root_entries), size(unknowns_), work_.stage_x.data() + size(root_entries));
  std::copy_n(view_.v, size(unknowns_), work_.stage_v.data() + size(root_entries));
  if (driven_) {
    const double delta = SecondOrderSystem::time_difference(t);
    force_at(t - delta, work_.stage_force);
    force_at(t + delta, work_.force_rate);
    for (std::size_t i = 0; i < size(unknowns_); ++i)
      work_.force_rate[i] = (work_.force_rate[i] - work_.stage_force[i]) / (2 * delta);
  }
  for (int i = 0; i < batch_.fibres(); ++i)
    batch_.place_root(i, t, work_.stage_x.data(), work_.stage_v.data());
  phi_.linearize(work_.stage_x.data(), work_.stage_v.data(), h, work_.force.data());
  double *flow = work_.b[0].data(), *rate = work_.b[1].data();
  for (std::size_t i = 0; i < size(unknowns_); ++i) {
    const std::size_t lower = size(unknowns_) + i;
    const double mass = view_.mass[i / (3 * W) * W + i % W];
    flow[i] = h * view_.v[i];
    flow[lower] = h * work_.force[i] / mass;
    rate[i] = 0;
    rate[lower] = driven_ ? h * h * work_.force_rate[i] / mass : 0;
  }
}

// D = F(t + ch, y + u) − F(y) − Ju − ch ∂F/∂t: nothing but forces is left of it.
void ExponentialAdvance::add_remainder(double t, double h, int stage) {
  const auto W = static_cast<std::size_t>(batch_.lanes());
  const double c = tableau_.nodes[static_cast<std::size_t>(stage)];
  const auto node = static_cast<std::size_t>(std::ranges::find(nodes_.at, std::lround(c * nodes_.parts)) -
                                             nodes_.at.begin());
  const double* u = work_.flow[node].data();
  const double* x = view_.x + size(root_entries);
  for (std::size_t i = 0; i < size(unknowns_); ++i) {
    work_.stage_x[size(root_entries) + i] = x[i] + u[i];
    work_.stage_v[size(root_entries) + i] = view_.v[i] + u[size(unknowns_) + i];
  }
  force_at(t + c * h, work_.stage_force);
  phi_.respond(u, work_.linear.data());
  for (std::size_t i = 0; i < size(unknowns_); ++i) {
    double D = work_.stage_force[i] - work_.force[i] - work_.linear[i];
    if (driven_) D -= c * h * work_.force_rate[i];
    const double rate = h * D / view_.mass[i / (3 * W) * W + i % W];
    for (const StageTerm& weight : tableau_.weights)
      if (weight.stage == stage + 2)
        for (const PhiTerm& term : weight.terms)
          work_.b[static_cast<std::size_t>(term.phi) - 1][size(unknowns_) + i] += term.factor * rate;
  }
}

// Velocities at the ends of steps are in view_.z until here.
void ExponentialAdvance::arrive(double t, double h) {
  const auto W = static_cast<std::size_t>(batch_.lanes());
  for (std::size_t i = 0; i < size(unknowns_); ++i)
    if (!std::isfinite(view_.end_x[size(root_entries) + i] + view_.z[i]) &&
        static_cast<int>(i % W) < batch_.fibres())
      throw SimulationError(fmt::format("fibre {}: the step from t = {:.6g} s leads nowhere",
                                        batch_.number(static_cast<int>(i % W)), t));
  kernels_.measure(view_, view_.end_x, view_.end_strain);
  std::swap_ranges(view_.z, view_.z + size(unknowns_), view_.v);
  account(h);
  std::copy_n(view_.end_x, size(unknowns_ + root_entries), view_.x);
  std::copy_n(view_.end_strain, size(batch::section_springs * batch_.sections()), view_.strain);
}

// The kernel's mean velocity v + hz/2 is to be Δx/h, whatever vibrates at the ends.
void ExponentialAdvance::account(double h) {
  const auto W = static_cast<std::size_t>(batch_.lanes());
  const double *x = view_.x + size(root_entries), *end = view_.end_x + size(root_entries);
  std::fill_n(view_.h, W, h);
  for (std::size_t i = 0; i < size(unknowns_); ++i) view_.z[i] = 2 / h * ((end[i] - x[i]) / h - view_.v[i]);
  LineVector supports(W), dashpots(W), drag(W);
  kernels_.account(view_, supports.data(), dashpots.data(), drag.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch_.fibres()); ++i)
    progress_[i].energy += {supports[i], dashpots[i], drag[i], 0};
}

}  // namespace stiffly
