// The linear system of a backward Euler step on the full coil, by every solver.
#include <fmt/format.h>

#include "bench.hpp"
#include "stiffly/linalg/conjugate_gradients.hpp"
#include "stiffly/linalg/particle_constraints.hpp"
#include "stiffly/linalg/preconditioner.hpp"
#include "stiffly/linalg/scalar_matrix.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"
#include "stiffly/scene/coil.hpp"

namespace stiffly::bench {
namespace {

bool run() {
  const auto system = make_coil_system();
  const State state = system->initial_state();
  Tangent tangent;
  system->tangent(0, state.x(), state.v(), tangent);
  const std::size_t n = system->unknowns();
  Vector f(n);
  system->force(0, state.x(), state.v(), f);
  bool met = true;
  for (const double h : {0.005, 0.05}) {
    BlockMatrix S(tangent.stiffness.shared_pattern());
    system->mass().add_to(1.0, S);
    S.add(h * h, tangent.stiffness);
    Vector x(n);
    const auto apply = [&](ConstVectorView y, VectorView Sy) { S.apply(y, Sy); };

    fmt::print("M + h²K of the full coil, {} unknowns, h = {}; residual 1e-8\n", n, h);
    SparseCholesky factor;
    factor.factorize(S);  // the analysis is made once
    const double factorization = fastest(3, [&] { factor.factorize(S); }),
                 solve = fastest(5, [&] { factor.solve(f, x); });
    fmt::print("  {:<12} {:>7} {:>10.4f} s to prepare {:>10.4f} s to solve\n", "cholesky", "", factorization,
               solve);
    int plain_iterations = 0;
    for (const PreconditionerInfo& info : preconditioners()) {
      const auto preconditioner = info.make();
      const double preparation = fastest(3, [&] { preconditioner->prepare(S); });
      ConjugateGradients cg;
      ConjugateGradientResult result;
      const double time = fastest(2, [&] {
        fill(0.0, x);
        result = cg.solve(apply, [&](ConstVectorView r, VectorView z) { preconditioner->apply(r, z); }, f, x,
                          {.relative = 1e-8});
      });
      if (info.name == "block") plain_iterations = result.iterations;
      fmt::print("  {:<12} {:>7} {:>10.4f} s to prepare {:>10.4f} s to solve {}\n", "cg-" + info.name,
                 result.iterations, preparation, time, result.converged ? "" : "NOT CONVERGED");
    }

    // Filtered: every tenth particle of the wire is led, held on a line or in a plane.
    ParticleConstraints constraints;
    for (int p = 0; p < static_cast<int>(n / 3); p += 10) {
      if (p % 30 == 0)
        constraints.fix(p);
      else if (p % 30 == 10)
        constraints.keep_on_line(p, {1, 1, 0});
      else
        constraints.keep_in_plane(p, {0, 0, 1});
    }
    const auto block = make_preconditioner("block");
    block->prepare(S);
    ConjugateGradients cg;
    fill(0.0, x);
    const auto filtered = cg.solve(
        apply, [&](ConstVectorView r, VectorView z) { block->apply(r, z); }, f, x, {.relative = 1e-8},
        [&](VectorView v) { constraints.project(v); });
    const bool as_fast = filtered.converged && filtered.iterations <= 1.2 * plain_iterations;
    fmt::print("  {:<12} {:>7} iterations with constraints, {} without (bound 1.2 times) {}\n", "filtered",
               filtered.iterations, plain_iterations, verdict(as_fast));
    met = met && as_fast;

    ScalarMatrix linear(tangent.stiffness.shared_pattern());
    BlockMatrix M(tangent.stiffness.shared_pattern());
    system->mass().add_to(1.0, M);
    linear.add_means(1.0, M);
    linear.add_traces(h * h, tangent.stiffness);
    double full = 1e9, scalar = 1e9;
    Vector y(n);
    for (int round = 0; round < 5; ++round) {  // alternating, so that both see the same machine
      full = std::min(full, fastest(20, [&] { S.apply(f, y); }));
      scalar = std::min(scalar, fastest(20, [&] { linear.apply(f, y); }));
    }
    fmt::print(
        "  a product with the linear Jacobian (004 eq. 50) takes {:.2f} of one with the full matrix (the "
        "paper says about a third)\n",
        scalar / full);
  }
  return met;
}

}  // namespace

Section solvers() {
  return {"solvers", "linear solvers and preconditioners on the full coil's backward Euler system", run};
}

}  // namespace stiffly::bench
