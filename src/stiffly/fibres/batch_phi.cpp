#include "stiffly/fibres/batch_phi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/limits.hpp"

namespace stiffly {
namespace {

constexpr double pole = 0.1;             ///< γ
constexpr double metric_rate = 0.5;      ///< √ς h: lets norms grow by exp(√ς h/2) at most
constexpr double rounding_left = 1e-12;  ///< of a vector, outside a space: nothing but rounding
constexpr int most_phi_halvings = 20;
constexpr long units_of_part = 1L << most_phi_halvings;  ///< of each part of a step
constexpr int most_parts = 72;
constexpr int most_corrections = 8;
constexpr long most_solves = 4000;  ///< for one evaluation

/// After how many vectors lanes are looked at.
bool is_time_to_look(int m) { return m >= 4 && (m <= 16 ? m % 2 == 0 : m % 4 == 0); }

int padded(int m) { return (m + 3) / 4 * 4; }

}  // namespace

PhiNodes PhiNodes::of(std::span<const double> nodes) {
  for (int parts = 1; parts <= most_parts; ++parts) {
    const auto whole = [&](double c) { return std::abs(parts * c - std::round(parts * c)) < 1e-9; };
    if (!std::ranges::all_of(nodes, whole)) continue;
    PhiNodes out{parts, {}};
    for (const double c : nodes) out.at.push_back(static_cast<int>(std::lround(parts * c)));
    return out;
  }
  throw InputError("nodes of steps in batches must be whole parts of them");
}

BatchPhi::BatchPhi(const FibreBatch& batch, const BatchView& view, PhiWorkspace& workspace)
    : batch_(batch),
      kernels_(batch.kernels()),
      view_(view),
      work_(workspace),
      tangent_{workspace.direction.data(), workspace.across.data(), workspace.turning.data(),
               workspace.held.data()},
      W_(batch.lanes()),
      unknowns_(batch::section_size * batch.sections()),
      lanes_(static_cast<std::size_t>(W_)),
      active_(W_),
      growing_(W_),
      shift_(static_cast<std::size_t>(W_)),
      factored_(shift_),
      metric_shift_(shift_),
      ones_(static_cast<std::size_t>(W_), 1.0),
      norms_(shift_),
      sizes_(static_cast<std::size_t>(W_)) {
  std::ranges::fill(work_.zero, 0.0);
}

std::size_t BatchPhi::at(int entry, int lane) const {
  return static_cast<std::size_t>(entry) * static_cast<std::size_t>(W_) + static_cast<std::size_t>(lane);
}

double BatchPhi::part(int i) const { return std::ldexp(1.0, -lanes_[static_cast<std::size_t>(i)].halvings); }

void BatchPhi::fail(int i, const char* what) const {
  throw SimulationError(fmt::format("fibre {}: {} (steps of {:.3g} s)", batch_.number(i), what, h_));
}

void BatchPhi::linearize(const double* x, const double* v, double h, double* f) {
  h_ = h;
  kernels_.linearize(view_, x, v, f, tangent_);
  std::ranges::fill(metric_shift_, metric_rate * metric_rate / (h * h));
  std::ranges::fill(factored_, 0.0);
}

void BatchPhi::respond(const double* y, double* force) const {
  kernels_.respond(view_, tangent_, metric_shift_.data(), y, y + at(unknowns_, 0), work_.right.data(), force,
                   work_.metric.data());
}

void BatchPhi::evaluate(std::span<const double* const> b, const PhiNodes& nodes, double tolerance,
                        std::span<const double> least, std::span<double* const> out) {
  tolerance_ = tolerance;
  parts_ = nodes.parts;
  border_ = static_cast<int>(b.size());
  basis_ = {unknowns_, border_, work_.basis.data()};
  set_border(b);
  for (double* value : out) std::fill_n(value, at(2 * unknowns_, 0), 0.0);
  std::fill_n(work_.solution.data(), at(2 * unknowns_, 0), 0.0);
  std::ranges::fill(sizes_, 0.0);
  active_.clear();
  for (int i = 0; i < batch_.fibres(); ++i) {
    Lane& l = lane(i);
    l.done = 0;
    l.halvings = 0;
    l.size = least[static_cast<std::size_t>(i)];
    l.solves_before = l.work.iterations;
    if (l.order > 0) active_.insert(i);
  }
  while (!active_.empty()) {
    factor();
    begin_space();
    int m = 1;
    for (int before = 0; !growing_.empty();) {
      if (is_time_to_look(m)) {
        look(m, true);
        if (m == PhiWorkspace::most_vectors) shorten(before, m);
        before = m;
      }
      if (!growing_.empty()) grow(m++);
    }
    take(m, nodes, out);
  }
}

/// What is known of b: products with each, how large they are, and which is the last that is not zero.
void BatchPhi::set_border(std::span<const double* const> b) {
  b_.assign(b.begin(), b.end());
  for (Lane& l : lanes_) l.order = 0, l.scale = 0;
  for (int k = 0; k < border_; ++k) {
    const double* y = b_[static_cast<std::size_t>(k)];
    if (!y) continue;
    const double* v = y + at(unknowns_, 0);
    const std::size_t first = at(k * unknowns_, 0);
    kernels_.respond(view_, tangent_, metric_shift_.data(), y, v, work_.elastic_of_b.data() + first,
                     work_.force.data(), work_.metric.data());
    kernels_.momentum(view_, v, work_.momentum_of_b.data() + first);
    kernels_.square(view_, y, work_.metric.data(), v, norms_.data());
    for (int i = 0; i < batch_.fibres(); ++i) {
      const double norm = std::sqrt(norms_[static_cast<std::size_t>(i)]);
      if (!std::isfinite(norm)) fail(i, "its forces are no longer finite");
      if (norm > 0) lane(i).order = k + 1;
      lane(i).scale = std::max(lane(i).scale, norm);
    }
  }
}

void BatchPhi::factor() {
  for (int i = 0; i < W_; ++i) shift_[static_cast<std::size_t>(i)] = pole * h_ * part(i);
  if (shift_ == factored_) return;
  LineVector failed(static_cast<std::size_t>(W_));
  kernels_.factor_shifted(view_, tangent_, shift_.data(), failed.data());
  factored_ = shift_;
  ++batch_work_.batch_factors;
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!active_.contains(i)) continue;
    ++lane(i).work.factors;
    if (failed[static_cast<std::size_t>(i)] != 0) fail(i, "its matrix has no factor");
  }
}

/// (w(t), η(t^{p−1}/(p−1)!, …, t, 1)), with η the largest of ‖b_k‖.
void BatchPhi::begin_space() {
  double* y = vector(0);
  std::copy_n(work_.solution.data(), at(2 * unknowns_, 0), y);
  double* tail = y + at(basis_.tail(), 0);
  std::fill_n(tail, at(border_, 0), 0.0);
  growing_.clear();
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!active_.contains(i)) continue;
    growing_.insert(i);
    if (lane(i).work.iterations - lane(i).solves_before > most_solves)
      fail(i, "4000 solves do not suffice for φ-functions of its motion");
    const double t = static_cast<double>(lane(i).done) / static_cast<double>(units_of_part * parts_);
    double power = lane(i).scale;
    for (int entry = border_ - 1, k = 1; entry >= 0 && chained(i, entry); --entry, ++k) {
      tail[at(entry, i)] = power;
      power *= t / k;
    }
    lane(i).difference = HUGE_VAL;
  }
  std::fill_n(work_.previous.data(), at(PhiWorkspace::most_vectors, 0), 0.0);
  std::fill_n(work_.kept.data(), at((parts_ + 1) * PhiWorkspace::most_vectors, 0), 0.0);
  finish(0, {});
  for (int i = 0; i < batch_.fibres(); ++i) lane(i).start_norm = norms_[static_cast<std::size_t>(i)];
}

/// Vector j, from (I − γτÃ)⁻¹ applied to the one before.
void BatchPhi::grow(int j) {
  const double *before = vector(j - 1), *tail_before = before + at(basis_.tail(), 0);
  double *y = vector(j), *tail = y + at(basis_.tail(), 0);
  for (int i = 0; i < W_; ++i)
    for (int entry = border_ - 1; entry >= 0; --entry) {
      const bool linked = entry + 1 < border_ && chained(i, entry);
      tail[at(entry, i)] = tail_before[at(entry, i)] + (linked ? pole * part(i) * tail[at(entry + 1, i)] : 0);
    }
  // The right-hand side, and −K times its positions.
  std::copy_n(before, at(2 * unknowns_, 0), work_.moved.data());
  LineVector a(static_cast<std::size_t>(W_));
  for (int k = 0; k < border_; ++k) {
    const double* b = b_[static_cast<std::size_t>(k)];
    if (!b) continue;
    for (int i = 0; i < batch_.fibres(); ++i)
      if (growing_.contains(i))
        a[static_cast<std::size_t>(i)] = pole * part(i) * tail[at(border_ - 1 - k, i)] / lane(i).scale;
    kernels_.add(2 * unknowns_, a.data(), b, work_.moved.data(), growing_.data());
    kernels_.add(unknowns_, a.data(), work_.elastic_of_b.data() + at(k * unknowns_, 0), work_.elastic.data(),
                 growing_.data());
  }
  solve_shifted(y);
  orthogonalize(j);
}

/// (I − sJ)y = (a, r): Sv = Mr − sKa, x = a + sv, with S = M + sC + s²K. The factor leaves out what turning
/// dashpots add to K: corrections bring it in.
void BatchPhi::solve_shifted(double* y) {
  double* v = y + at(unknowns_, 0);
  const double *a = work_.moved.data(), *r = a + at(unknowns_, 0);
  LineVector square(static_cast<std::size_t>(W_));
  kernels_.defect(view_, shift_.data(), r, work_.zero.data(), work_.elastic.data(), v, square.data());
  kernels_.solve(view_.sections, view_.panels, view_.inverse_pivots, v);
  std::copy_n(a, at(unknowns_, 0), y);
  kernels_.add(unknowns_, shift_.data(), v, y, growing_.data());
  LaneSet lacking = growing_;
  for (int turn = 0; !lacking.empty(); ++turn) {
    ++batch_work_.batch_iterations;
    for (int i = 0; i < batch_.fibres(); ++i)
      if (lacking.contains(i)) ++lane(i).work.iterations;
    if (turn == most_corrections) return;
    for (int i = 0; i < batch_.fibres(); ++i)
      if (lacking.contains(i)) ++lane(i).work.products;
    kernels_.respond(view_, tangent_, metric_shift_.data(), y, v, work_.right.data(), work_.force.data(),
                     work_.metric.data());
    kernels_.defect(view_, shift_.data(), r, v, work_.force.data(), work_.right.data(), square.data());
    for (int i = 0; i < batch_.fibres(); ++i)
      if (!(square[static_cast<std::size_t>(i)] > 0.01 * tolerance_ * tolerance_)) lacking.erase(i);
    if (lacking.empty()) return;
    kernels_.solve(view_.sections, view_.panels, view_.inverse_pivots, work_.right.data());
    kernels_.add(unknowns_, ones_.data(), work_.right.data(), v, lacking.data());
    kernels_.add(unknowns_, shift_.data(), work_.right.data(), y, lacking.data());
  }
}

/// Twice is enough.
void BatchPhi::orthogonalize(int j) {
  const double* y = vector(j);
  std::vector<double> before(static_cast<std::size_t>(W_), 0.0);
  double* c = work_.chosen.data();
  for (int pass = 0; pass < 2; ++pass) {
    kernels_.momentum(view_, y + at(unknowns_, 0), work_.momentum.data());
    kernels_.project(basis_, j, y, work_.momentum.data(), y + at(basis_.tail(), 0), c);
    kernels_.subtract(basis_, j, c);
    for (int k = 0; pass == 0 && k < j; ++k)
      for (int i = 0; i < W_; ++i) before[static_cast<std::size_t>(i)] += c[at(k, i)] * c[at(k, i)];
  }
  finish(j, before);
}

/// Makes vector j one of norm 1, or of zeros where a space has rounding_left or nothing is left of it, and
/// projects the matrix. `before`: the square of what was taken off.
void BatchPhi::finish(int j, std::span<const double> before) {
  double *y = vector(j), *v = y + at(basis_.velocity(), 0), *metric = y + at(basis_.metric(), 0),
         *tail = y + at(basis_.tail(), 0);
  kernels_.respond(view_, tangent_, metric_shift_.data(), y, v, work_.elastic.data(),
                   y + at(basis_.force(), 0), metric);
  kernels_.square(view_, y, metric, v, norms_.data());
  LineVector factor(static_cast<std::size_t>(W_), 0.0);
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!growing_.contains(i)) continue;
    ++lane(i).work.products;
    const auto k = static_cast<std::size_t>(i);
    for (int entry = 0; entry < border_; ++entry) norms_[k] += tail[at(entry, i)] * tail[at(entry, i)];
    if (!std::isfinite(norms_[k])) fail(i, "φ-functions of its motion are not finite");
    const double whole = norms_[k] + (before.empty() ? 0.0 : before[k]);
    norms_[k] = std::sqrt(std::max(0.0, norms_[k]));
    if (norms_[k] > rounding_left * std::sqrt(whole)) factor[k] = 1 / norms_[k];
  }
  kernels_.scale(basis_.stride(), factor.data(), y);
  kernels_.scale(unknowns_, factor.data(), work_.elastic.data());
  kernels_.compress(basis_, j, PhiWorkspace::most_vectors, work_.compression.data());
  border_products(j);
}

/// Row and column j of ⟨y_i, Ã y_k⟩ = h⟨y_i, J y_k⟩ + ⟨y_i, Bσ_k⟩ + σ_i·Nσ_k.
void BatchPhi::border_products(int j) {
  BasisView one = basis_;
  one.vectors = vector(j);
  constexpr int row = PhiWorkspace::most_vectors, wide = PhiWorkspace::most_border;
  for (int k = 0; k < border_; ++k)
    if (const double* b = b_[static_cast<std::size_t>(k)])
      kernels_.project(one, 1, b, work_.momentum_of_b.data() + at(k * unknowns_, 0), work_.zero.data(),
                       work_.products.data() + at(j * wide + k, 0));
  const auto add = [&](int r, int c) {
    double* H = work_.compression.data() + at(r * row + c, 0);
    const double *of_row = vector(r) + at(basis_.tail(), 0), *of_column = vector(c) + at(basis_.tail(), 0);
    for (int i = 0; i < W_; ++i) H[i] *= h_;
    for (int i = 0; i < batch_.fibres(); ++i) {
      if (!growing_.contains(i)) continue;
      for (int k = 0; k < border_; ++k) {
        const int entry = border_ - 1 - k;
        if (b_[static_cast<std::size_t>(k)])
          H[i] += work_.products[at(r * wide + k, i)] * of_column[at(entry, i)] / lane(i).scale;
        if (k > 0 && chained(i, entry)) H[i] += of_row[at(entry, i)] * of_column[at(entry + 1, i)];
      }
    }
  };
  for (int i = 0; i < j; ++i) {
    add(i, j);
    add(j, i);
  }
  add(j, j);
}

void BatchPhi::follow(int m) {
  constexpr int row = PhiWorkspace::most_vectors;
  const int size = padded(m);
  double *A = work_.small.data(), *E = A + at(row * row, 0), *rest = E + at(row * row, 0);
  std::fill_n(A, at(size * size, 0), 0.0);
  for (int i = 0; i < m; ++i)
    std::copy_n(work_.compression.data() + at(i * row, 0), at(m, 0), A + at(i * size, 0));
  LineVector t(static_cast<std::size_t>(W_));
  for (int i = 0; i < W_; ++i) t[static_cast<std::size_t>(i)] = part(i) / parts_;
  kernels_.exponential(size, A, t.data(), E, norms_.data(), rest);
  double* c = work_.trail.data();
  std::fill_n(c, at((parts_ + 1) * row, 0), 0.0);
  std::fill_n(c, W_, 1.0);
  for (int k = 0; k < parts_; ++k)
    kernels_.apply_small(size, E, c + at(k * row, 0), c + at((k + 1) * row, 0));
}

/// A single difference may be small by chance. What rounding makes of coefficients cannot be had smaller.
void BatchPhi::look(int m, bool twice) {
  constexpr int row = PhiWorkspace::most_vectors;
  follow(m);
  const double* end = work_.trail.data() + at(parts_ * row, 0);
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!growing_.contains(i)) continue;
    Lane& l = lane(i);
    double change = 0, all = 0;
    std::array<double, PhiWorkspace::most_border> tail = {};
    for (int k = 0; k < m; ++k) {
      const double c = end[at(k, i)];
      change += std::pow(c - work_.previous[at(k, i)], 2);
      all += c * c;
      for (int entry = 0; entry < border_; ++entry)
        tail[static_cast<std::size_t>(entry)] += c * vector(k)[at(basis_.tail() + entry, i)];
      work_.previous[at(k, i)] = c;
    }
    double head = all;
    for (const double entry : tail) head -= entry * entry;
    change = l.start_norm * std::sqrt(change);
    const double size = l.start_norm * std::sqrt(std::max(0.0, head)),
                 rounding = 4 * epsilon * (1 + parts_ * norms_[static_cast<std::size_t>(i)]) * l.start_norm *
                            std::sqrt(all),
                 difference = twice ? std::max(change, l.difference / 10) : change;
    l.difference = change;
    if (!(difference <= std::max(rounding, tolerance_ * part(i) * std::max(size, l.size)))) continue;
    growing_.erase(i);
    l.vectors = m;
    l.size = std::max(l.size, size);
    sizes_[static_cast<std::size_t>(i)] = size;
    for (int k = 0; k <= parts_; ++k)
      for (int e = 0; e < m; ++e) work_.kept[at(k * row + e, i)] = work_.trail[at(k * row + e, i)];
  }
}

/// Lanes that have not converged take as short a substep as their spaces allow.
void BatchPhi::shorten(int before, int m) {
  while (!growing_.empty()) {
    for (int i = 0; i < batch_.fibres(); ++i)
      if (growing_.contains(i) && ++lane(i).halvings > most_phi_halvings)
        fail(i, "φ-functions of its motion do not converge");
    follow(before);
    std::copy_n(work_.trail.data() + at(parts_ * PhiWorkspace::most_vectors, 0),
                at(PhiWorkspace::most_vectors, 0), work_.previous.data());
    look(m, false);
  }
}

/// The values of all lanes at the nodes within their substeps.
void BatchPhi::take(int m, const PhiNodes& nodes, std::span<double* const> out) {
  constexpr int row = PhiWorkspace::most_vectors;
  const auto combine = [&](const LaneSet& lanes, const std::vector<long>& part_of, double* to) {
    std::fill_n(work_.chosen.data(), at(m, 0), 0.0);
    for (int i = 0; i < batch_.fibres(); ++i)
      if (lanes.contains(i))
        for (int k = 0; k < m; ++k)
          work_.chosen[at(k, i)] =
              lane(i).start_norm *
              work_.kept[at(static_cast<int>(part_of[static_cast<std::size_t>(i)]) * row + k, i)];
    kernels_.combine(basis_, m, work_.chosen.data(), to, lanes.data());
  };
  for (std::size_t node = 0; node < nodes.at.size(); ++node) {
    LaneSet here(W_);
    std::vector<long> part_of(static_cast<std::size_t>(W_), 0);
    for (int i = 0; i < batch_.fibres(); ++i) {
      const long from_start = nodes.at[node] * units_of_part - lane(i).done,
                 one = units_of_part >> lane(i).halvings;
      if (!active_.contains(i) || from_start <= 0 || from_start > parts_ * one) continue;
      here.insert(i);
      part_of[static_cast<std::size_t>(i)] = from_start / one;
    }
    if (!here.empty()) combine(here, part_of, out[node]);
  }
  combine(active_, std::vector<long>(static_cast<std::size_t>(W_), parts_), work_.solution.data());
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!active_.contains(i)) continue;
    Lane& l = lane(i);
    const long one = units_of_part >> l.halvings, all = units_of_part * parts_;
    l.done += parts_ * one;
    if (l.done == all) active_.erase(i);
    // A substep twice as long where that seems possible, and nodes still are at whole parts of it.
    if (l.halvings > 0 && 2 * l.vectors <= PhiWorkspace::most_vectors && l.done % (2 * one) == 0 &&
        l.done + 2 * parts_ * one <= all)
      --l.halvings;
  }
}

}  // namespace stiffly
