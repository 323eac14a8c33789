#include "stiffly/fibres/phi_workspace.hpp"

namespace stiffly {
namespace {

/// All arrays and the number of their entries.
template <class Workspace, class Visit>
void for_phi_arrays(Workspace& work, int sections, int parts, const Visit& visit) {
  const BatchSizes n(sections);
  constexpr int m = PhiWorkspace::most_vectors, border = PhiWorkspace::most_border;
  visit(work.direction, 3 * n.springs);
  visit(work.across, n.springs);
  visit(work.turning, 3 * n.springs);
  visit(work.held, n.springs);
  visit(work.basis, m * (4 * n.unknowns + border));
  visit(work.compression, m * m);
  visit(work.products, m * border);
  visit(work.small, 8 * m * m);
  for (auto* coefficients : {&work.trail, &work.kept}) visit(*coefficients, (parts + 1) * m);
  for (auto* coefficients : {&work.previous, &work.chosen}) visit(*coefficients, m);
  for (auto* vectors : {&work.elastic_of_b, &work.momentum_of_b}) visit(*vectors, border * n.unknowns);
  for (auto* vector : {&work.elastic, &work.momentum, &work.force, &work.metric, &work.right, &work.zero})
    visit(*vector, n.unknowns);
  for (auto* state : {&work.solution, &work.moved}) visit(*state, 2 * n.unknowns);
}

}  // namespace

PhiWorkspace::PhiWorkspace(int lanes, int sections, int parts) {
  for_phi_arrays(*this, sections, parts, [&](LineVector& array, int entries) {
    array.resize(static_cast<std::size_t>(lanes) * static_cast<std::size_t>(entries));
  });
}

std::size_t PhiWorkspace::memory(int lanes, int sections, int parts) {
  std::size_t entries = 0;
  const PhiWorkspace none(0, 0, 0);
  for_phi_arrays(none, sections, parts,
                 [&](const LineVector&, int count) { entries += static_cast<std::size_t>(count); });
  return entries * static_cast<std::size_t>(lanes) * sizeof(double);
}

}  // namespace stiffly
