// PETSc TS: implicit methods with a sparse direct solver.
#include "peers/petsc.hpp"

#include <petscts.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "peers/compressed_rows.hpp"
#include "peers/libraries.hpp"
#include "peers/peer.hpp"
#include "stiffly/control/dense_output.hpp"

namespace stiffly::study {
namespace {

using TsHandle = PetscHandle<TS, TSDestroy>;

struct Method {
  const char* name;
  TSType type;
  bool second_order;  // M x'' = f as it is, N unknowns; otherwise y' = F(y), 2N of them
  const char* summary;
};

/// What a run gives to PETSc: the callbacks find it in their context.
struct Problem {
  PeerRun& run;
  CompressedRows matrix;                        // of the second-order form
  std::optional<FirstOrderMatrix> first_order;  // of the first-order form
  Vector work;
  long factorizations = 0;
};

Problem& problem(void* context) { return *static_cast<Problem*>(context); }

/// r ← M a − f(t, x, v). Says so to PETSc where f is not finite: the step is then made again, shorter.
void residual(Problem& p, TS ts, double t, const double* x, const double* v, const double* a, double* r) {
  const std::size_t n = p.run.unknowns();
  const bool finite = p.run.force(t, x, v, host(p.work).data());
  const VectorView out(host_backend(), r, n);
  p.run.system().mass().apply(ConstVectorView(host_backend(), a, n), out);
  axpy(-1.0, p.work, out);
  if (finite) return;
  SNES snes;
  petsc_check(TSGetSNES(ts, &snes));
  petsc_check(SNESSetFunctionDomainError(snes));
}

PetscErrorCode result_of(int code) { return code == 0 ? 0 : PETSC_ERR_USER; }

PetscErrorCode second_order_function(TS ts, PetscReal t, Vec x, Vec v, Vec a, Vec out, void* context) {
  Problem& p = problem(context);
  return result_of(p.run.guard([&] {
    residual(p, ts, t, ReadArray(x).data(), ReadArray(v).data(), ReadArray(a).data(), WriteArray(out).data());
    return 0;
  }));
}

/// ∂/∂x + c ∂/∂v + m ∂/∂a = K + cC + mM
PetscErrorCode second_order_jacobian(TS, PetscReal t, Vec x, Vec v, Vec, PetscReal c, PetscReal m, Mat,
                                     Mat out, void* context) {
  Problem& p = problem(context);
  return result_of(p.run.guard([&] {
    const Tangent& tangent = p.run.tangent(t, ReadArray(x).data(), ReadArray(v).data());
    expand(combined(tangent, c, p.run.system().mass(), m), p.matrix);
    set_values(out, p.matrix.values);
    ++p.factorizations;
    return 0;
  }));
}

/// R(y, y') = (x' − v, M v' − f)
PetscErrorCode first_order_function(TS ts, PetscReal t, Vec y, Vec rate, Vec out, void* context) {
  Problem& p = problem(context);
  return result_of(p.run.guard([&] {
    const std::size_t n = p.run.unknowns();
    const ReadArray u(y), du(rate);
    const WriteArray r(out);
    for (std::size_t i = 0; i < n; ++i) r.data()[i] = du.data()[i] - u.data()[n + i];
    residual(p, ts, t, u.data(), u.data() + n, du.data() + n, r.data() + n);
    return 0;
  }));
}

PetscErrorCode first_order_jacobian(TS, PetscReal t, Vec y, Vec, PetscReal shift, Mat, Mat out,
                                    void* context) {
  Problem& p = problem(context);
  return result_of(p.run.guard([&] {
    const ReadArray u(y);
    const Tangent& tangent = p.run.tangent(t, u.data(), u.data() + p.run.unknowns());
    p.first_order->set_residual(tangent, p.run.system().mass(), shift);
    set_values(out, p.first_order->rows().values);
    ++p.factorizations;
    return 0;
  }));
}

class PetscPeer final : public Peer {
 public:
  explicit PetscPeer(const Method& method) : Peer(method.name, Knob::tolerance), method_(method) {
    start_petsc();
  }

 private:
  void integrate(PeerRun& run, double setting) override {
    if (method_.type == std::string_view(TSROSW) && !run.system().autonomous())
      throw SimulationError("the Rosenbrock methods of PETSc are for forces that do not depend on time");
    PetscErrors errors;
    try {
      advance(run, setting);
    } catch (const PetscFailure&) {
      run.rethrow();  // what a callback threw says more than that a callback failed
      throw;
    }
  }

  void advance(PeerRun& run, double setting) const {
    const std::size_t n = run.unknowns();
    const State& start = run.start();
    Problem p{run, {}, {}, Vector(n)};
    MotionTolerance tolerance(run, setting);

    TsHandle ts;
    petsc_check(TSCreate(PETSC_COMM_SELF, ts.out()));
    petsc_check(TSSetType(ts, method_.type));
    // The state: (x, v) in one vector or in two.
    const std::size_t size = method_.second_order ? n : 2 * n;
    const VecHandle y = make_vec(host(start.y).subspan(0, size));
    const VecHandle v = make_vec(host(start.v()));
    const VecHandle allowed = make_vec(host(start.y).subspan(0, size));
    const MatHandle matrix = bind(ts, p, y, v);

    petsc_check(TSSetTime(ts, start.time));
    petsc_check(TSSetMaxTime(ts, run.end()));
    petsc_check(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    petsc_check(TSSetErrorIfStepFails(ts, PETSC_FALSE));
    petsc_check(TSSetMaxSNESFailures(ts, -1));
    petsc_check(TSSetMaxStepRejections(ts, 100));
    petsc_check(TSSetTolerances(ts, 0.0, allowed, 0.0, nullptr));
    TSAdapt adapt;
    petsc_check(TSGetAdapt(ts, &adapt));
    petsc_check(TSAdaptSetType(adapt, TSADAPTBASIC));
    double first_step = tolerance.first_step();
    if (method_.second_order) {
      // PETSc 3.18 starts generalised-α with twice the initial acceleration (it divides by half of the
      // interval its difference spans). What is wrong halves from step to step, so a very short first step
      // and a slow growth from there keep it out of the velocities. Still shorter, and the round-off of
      // positions over h² would be the larger evil.
      first_step *= std::max(std::pow(setting, 2.0 / 3), 1e-7 / std::cbrt(setting));
      petsc_check(TSAdaptSetClip(adapt, 0.1, 1.5));
    }
    petsc_check(TSSetTimeStep(ts, first_step));

    State before = start;
    while (!run.done()) {
      allow(tolerance, ts, allowed);
      petsc_check(TSStep(ts));
      write_statistics(ts, p);
      TSConvergedReason reason;
      petsc_check(TSGetConvergedReason(ts, &reason));
      if (reason < 0)
        throw SimulationError(std::string("PETSc: ") + TSConvergedReasons[reason] +
                              " at t = " + std::to_string(before.time) + " s");
      double t;
      petsc_check(TSGetTime(ts, &t));
      const State after = method_.second_order ? State(t, ReadArray(y).span(), ReadArray(v).span())
                                               : State(t, Vector(ReadArray(y).span()));
      tolerance.see(t, host(after.y).data());
      // Generalised-α has no dense output of its own; the cubic is good enough for all three.
      run.record_until(t, [&](double moment, double* out) {
        const State at = interpolate(before, after, moment);
        std::copy_n(host(at.y).data(), at.y.size(), out);
      });
      before = after;
    }
  }

  /// Equations, Jacobian and linear solver.
  MatHandle bind(TS ts, Problem& p, Vec y, Vec v) const {
    const State& start = p.run.start();
    const Tangent& tangent = p.run.tangent(start.time, host(start.x()).data(), host(start.v()).data());
    MatHandle matrix;
    if (method_.second_order) {
      p.matrix = expanded(tangent.stiffness.pattern());
      matrix = make_mat(p.matrix);
      petsc_check(TSSetI2Function(ts, nullptr, second_order_function, &p));
      petsc_check(TSSetI2Jacobian(ts, matrix, matrix, second_order_jacobian, &p));
      petsc_check(TSAlpha2SetRadius(ts, 0.8));
      petsc_check(TS2SetSolution(ts, y, v));
    } else {
      p.first_order.emplace(tangent, p.run.system().mass());
      matrix = make_mat(p.first_order->rows());
      petsc_check(TSSetIFunction(ts, nullptr, first_order_function, &p));
      petsc_check(TSSetIJacobian(ts, matrix, matrix, first_order_jacobian, &p));
      petsc_check(TSSetSolution(ts, y));
    }
    SNES snes;
    KSP ksp;
    PC pc;
    petsc_check(TSGetSNES(ts, &snes));
    petsc_check(SNESGetKSP(snes, &ksp));
    petsc_check(KSPSetType(ksp, KSPPREONLY));
    petsc_check(KSPGetPC(ksp, &pc));
    petsc_check(PCSetType(pc, PCLU));
    petsc_check(PCFactorSetMatSolverType(pc, MATSOLVERUMFPACK));
    return matrix;
  }

  /// The tolerance of every entry. The second-order form has one vector of tolerances for positions and
  /// velocities alike: the coarser one, which is that of the velocities for motions faster than 1/s. It makes
  /// velocities of differences of positions over h, and their round-off is nothing to shorten a step for.
  void allow(const MotionTolerance& tolerance, TS ts, Vec allowed) const {
    const WriteArray out(allowed);
    if (!method_.second_order) return tolerance.write(out.data());
    double h;
    petsc_check(TSGetTimeStep(ts, &h));
    std::fill_n(out.data(), out.size(),
                std::max({tolerance.position(), tolerance.velocity(), tolerance.roundoff() / h}));
  }

  static void write_statistics(TS ts, const Problem& p) {
    PetscInt steps, rejected, solves;
    petsc_check(TSGetStepNumber(ts, &steps));
    petsc_check(TSGetStepRejections(ts, &rejected));
    petsc_check(TSGetKSPIterations(ts, &solves));
    Trajectory& result = p.run.result();
    result.steps = steps;
    result.rejected_steps = rejected;
    result.work.factorization = p.factorizations;
    result.work.solve = solves;
  }

  Method method_;
};

}  // namespace

std::vector<PeerInfo> petsc_peers() {
  const Method methods[] = {
      {"petsc-alpha2", TSALPHA2, true,
       "generalised-α of order 2 for M x'' = f, ρ_∞ = 0.8, sparse LU (UMFPACK)"},
      {"petsc-bdf", TSBDF, false, "BDF of order 2, the library's default, sparse LU (UMFPACK)"},
      {"petsc-rosw", TSROSW, false,
       "Rosenbrock–W of order 3 (ra34pw2), the library's default, sparse LU (UMFPACK)"},
  };
  std::vector<PeerInfo> all;
  for (const Method& method : methods)
    all.push_back({method.name, "PETSc", petsc_version(), method.summary, Knob::tolerance,
                   [method] { return std::make_unique<PetscPeer>(method); }});
  return all;
}

}  // namespace stiffly::study
