#include "stiffly/contact/one_sided_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/contact/offset.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t one_sided_at_once = 128;

double longest_way(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); i += 3)
    most = std::max(most, (Vector3d::Map(a.data() + i) - Vector3d::Map(b.data() + i)).squaredNorm());
  return std::sqrt(most);
}

/// What gives way by `together` to a force of 1 gives way by this without the stiffness that it has itself;
/// it is at most `loose`.
double alone(double together, double stiffness, double loose) {
  const double rest = 1 - together * stiffness;
  return rest * loose > together ? together / rest : loose;
}

/// Whether it matters how far a contact gives way: what the matrix did not know of its law is, times that,
/// not small beside the correction.
bool matters(double unknown_part, double correction) {
  return std::abs(unknown_part) > 0.1 * std::abs(correction);
}

Vector3d across(const Vector3d& a, const Vector3d& normal) { return a - normal.dot(a) * normal; }

}  // namespace

OneSidedContacts::OneSidedContacts(std::unique_ptr<ContactSource> source, const RepulsionLaw& law,
                                   const FrictionLaw& friction)
    : source_(std::move(source)), law_(law), friction_(friction) {}

// What the matrix has stays in the list until the next one is made, wherever it has gone.
void OneSidedContacts::find(const ParticlePath& path) const {
  const auto end = path.end.x;
  found_at_.assign(end.begin(), end.end());
  wander_ = law_.range / 4;
  if (path.is_step()) wander_ = std::clamp(2 * longest_way(path.start, end), wander_, law_.range);
  std::vector<Contact> before = std::move(contacts_);
  contacts_.clear();
  auto known = before.begin();
  const auto keep_frozen_until = [&](const auto& passed) {
    for (; known != before.end() && !passed(*known); ++known)
      if (known->frozen) contacts_.push_back(std::move(*known));
  };
  for (const ContactSource::Key& key : source_->find(path, wander_)) {
    keep_frozen_until([&](const Contact& c) { return c.key >= key; });
    if (known != before.end() && known->key == key)
      contacts_.push_back(std::move(*known++));
    else
      contacts_.emplace_back().key = key;
  }
  keep_frozen_until([](const Contact&) { return false; });
  if (!path.is_step()) return;
  source_->place({path.start_time, path.end.free, path.start, path.end.v});
  for_chunks<one_sided_at_once>(contacts_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) contacts_[i].start = source_->gap(contacts_[i].key);
  });
}

// From where the guess leads, as if each contact were alone on its particles.
void OneSidedContacts::begin(const ParticlePath& guess, const IterationScale& scale) {
  scale_ = scale;
  free_ = guess.end.free;
  step_ = guess.is_step();
  theta_ = guess.theta;
  for (Contact& c : contacts_) c.gap = NAN;
  find(guess);
  measure_along(guess);
}

void OneSidedContacts::loosen(Contact& contact) const {
  double sum = 0;
  for (const auto& [particle, share] : contact.line.shares)
    if (static_cast<std::size_t>(particle) < free_)
      sum += share * share / scale_.masses[static_cast<std::size_t>(particle)];
  contact.loose = sum * scale_.position;
  contact.loose_slip = sum * std::abs(scale_.velocity);
}

// How far things give way decides how soon the iteration ends, not where: what one matrix has answered will
// do for the next one of steps about as long.
void OneSidedContacts::respond(const Compliance& matrix) {
  constexpr double about = 1.5;
  matrix_ = &matrix;
  const double change = scale_.position / answered_for_;
  if (change < about && change > 1 / about) return;
  answered_for_ = scale_.position;
  for (Contact& c : contacts_) c.compliance = c.slip_compliance = -1;
}

Vector3d OneSidedContacts::slip_at(const ContactLine& line, std::span<const double> v) const {
  return across(line.mean(v) - line.drift, line.normal);
}

void OneSidedContacts::measure_along(const ParticlePath& path) const {
  if (!(longest_way(path.end.x, found_at_) <= wander_)) find(path);
  source_->place(path.end);
  for_chunks<one_sided_at_once>(contacts_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) contacts_[i].measured = source_->gap(contacts_[i].key);
  });
  if (path.is_step()) {
    middle_.resize(path.end.x.size());
    for (std::size_t i = 0; i < middle_.size(); ++i)
      middle_[i] = (1 - path.theta) * path.start[i] + path.theta * path.end.x[i];
    source_->place({(path.start_time + path.end.time) / 2, path.end.free, middle_, path.end.v});
  }
  for_chunks<one_sided_at_once>(contacts_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Contact& c = contacts_[i];
      c.active = c.frozen || c.measured < law_.range || c.gap < law_.range || (step_ && c.start < law_.range);
      if (!c.active) {
        c.gap = c.measured;
        continue;
      }
      c.line = source_->line(c.key);
      if (friction_.coefficient > 0) c.measured_slip = slip_at(c.line, path.end.v);
      loosen(c);
      if (!std::isnan(c.gap)) continue;
      c.gap = law(c).solve(c.measured, c.loose);
      if (friction_.coefficient > 0) c.slip = slip_of(c.measured_slip, law(c).push(c.gap), c.loose_slip);
    }
  });
}

Vector3d OneSidedContacts::slip_of(const Vector3d& right, double push, double give) const {
  const double size = right.norm();
  return size > 0 ? (solve_slip(friction_, size, push, give) / size * right).eval() : right;
}

/// ∂(μ p T(w))/∂w = (μ p/s)(I − n nᵀ − T Tᵀ)
Matrix3d OneSidedContacts::drag_of(const Contact& c) const {
  if (friction_.coefficient == 0) return Matrix3d::Zero();
  const Vector3d& n = c.line.normal;
  const Vector3d T = c.slip / std::hypot(c.slip.norm(), friction_.speed);
  return law(c).push(c.gap) * grip(friction_, c.slip.norm()) *
         (Matrix3d::Identity() - n * n.transpose() - T * T.transpose());
}

void OneSidedContacts::freeze(const ParticlePath& path, std::span<const double>, Tangent&) {
  measure_along(path);
  for (Contact& c : contacts_) {
    c.stiffness = c.active ? law(c).tangent(c.gap) : 0;
    c.drag = c.active ? drag_of(c) : Matrix3d::Zero();
    c.frozen = c.stiffness > 0;
    if (c.frozen) c.frozen_line = c.line;
  }
}

double OneSidedContacts::stretch(const Contact& c, const ParticlePath& path) const {
  if (!path.is_step() || path.theta != 0.5) return c.line.steepness;
  const double h = path.end.time - path.start_time;
  const double along =
      c.line.normal.dot(c.line.mean(path.end.x) - c.line.mean(path.start) - h * c.line.drift);
  return gap_over_way(c.measured - c.start, along, law_.range);
}

// Along the normal p(d) − k κ, κ = g − d; along the surface −μ p T(w) − drag κ_w.
void OneSidedContacts::add_force(const ParticlePath& path, std::span<const double>, std::span<double>,
                                 std::span<double> f) const {
  measure_along(path);
  for (const Contact& c : contacts_) {
    if (!c.active) continue;
    const double push = law(c).push(c.gap);
    const auto add = [&](const ContactLine& line, const Vector3d& force) {
      for (const auto& [particle, share] : line.shares)
        if (static_cast<std::size_t>(particle) < free_)
          Vector3d::Map(f.data() + 3 * particle) += share * force;
    };
    Vector3d force = stretch(c, path) * push * c.line.normal;
    if (friction_.coefficient > 0) force -= push * grip(friction_, c.slip.norm()) * c.slip;
    add(c.line, force);
    if (c.frozen)
      add(c.frozen_line, -c.stiffness * (c.measured - c.gap) * c.frozen_line.normal -
                             c.drag * across(c.measured_slip - c.slip, c.frozen_line.normal));
  }
}

void OneSidedContacts::correct_gap(Contact& c, std::span<const double> dx) const {
  const MeanPush law = this->law(c);
  const ContactLine& line = c.frozen ? c.frozen_line : c.line;
  const double predicted = c.measured + line.normal.dot(line.mean(dx)), change = predicted - c.gap;
  const double believed = law.push(c.gap) - c.stiffness * change;
  if (c.compliance < 0 && matters(c.loose * (law.push(predicted) - believed), change))
    c.compliance = alone(scale_.position * matrix_->along(line.shares, line.normal), c.stiffness, c.loose);
  const double give = c.compliance < 0 ? c.loose : c.compliance;
  c.gap = law.solve(predicted - give * believed, give);
}

void OneSidedContacts::correct_slip(Contact& c, double push_before, std::span<const double> dv) const {
  const ContactLine& line = c.frozen ? c.frozen_line : c.line;
  const double push = law(c).push(c.gap);
  const Vector3d predicted = c.measured_slip + across(line.mean(dv), line.normal),
                 change = predicted - c.slip;
  const Vector3d believed = push_before * grip(friction_, c.slip.norm()) * c.slip + c.drag * change;
  if (c.slip_compliance < 0 &&
      matters(c.loose_slip * (push * grip(friction_, predicted.norm()) * predicted - believed).norm(),
              change.norm())) {
    const Vector3d sideways = c.slip.norm() > 0 ? c.slip.normalized() : any_across(line.normal);
    c.slip_compliance = alone(std::abs(scale_.velocity) * matrix_->along(line.shares, sideways),
                              sideways.dot(c.drag * sideways), c.loose_slip);
  }
  // One number for all directions, of which some drag: what turns the slip gives way less than what lengthens
  // it, and too much give sets neighbours that slip together against each other.
  const double most = c.slip_compliance < 0 ? c.loose_slip : c.slip_compliance;
  const double give = most / (1 + most * c.drag.trace());
  c.slip = slip_of(predicted + give * believed, push, give);
}

void OneSidedContacts::follow(std::span<const double> dx, std::span<const double> dv, std::span<const double>,
                              std::span<double>) const {
  for (Contact& c : contacts_) {
    if (!c.active) continue;
    const double push = law(c).push(c.gap);
    correct_gap(c, dx);
    if (friction_.coefficient > 0) correct_slip(c, push, dv);
  }
}

void OneSidedContacts::add_touching_pairs(std::vector<std::pair<int, int>>& pairs) const {
  for (const Contact& c : contacts_) {
    if (!c.frozen) continue;
    const auto& shares = c.frozen_line.shares;
    for (std::size_t a = 0; a < shares.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b)
        if (static_cast<std::size_t>(std::max(shares[a].particle, shares[b].particle)) < free_)
          pairs.emplace_back(shares[a].particle, shares[b].particle);
  }
}

void OneSidedContacts::add_touching_tangent(Tangent& out) const {
  using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const BlockPattern& pattern = out.stiffness.pattern();
  for (const Contact& c : contacts_) {
    if (!c.frozen) continue;
    const Vector3d& n = c.frozen_line.normal;
    const Matrix3d along = n * n.transpose();
    for (const auto& [row, row_share] : c.frozen_line.shares)
      for (const auto& [column, column_share] : c.frozen_line.shares) {
        if (static_cast<std::size_t>(std::max(row, column)) >= free_) continue;
        const std::int64_t block = pattern.find(static_cast<std::size_t>(row), column);
        const double share = row_share * column_share;
        Block::Map(out.stiffness.block(block)) += share * c.stiffness * along;
        if (friction_.coefficient > 0) Block::Map(out.damping.block(block)) += share * c.drag;
      }
  }
}

}  // namespace stiffly
