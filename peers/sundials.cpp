// SUNDIALS: the multistep methods of CVODE and the Runge–Kutta methods of ARKODE.
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <optional>
#include <sundials/sundials_context.hpp>

#include "peers/compressed_rows.hpp"
#include "peers/libraries.hpp"
#include "peers/peer.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly::study {
namespace {

template <class Object, auto destroy>
struct Destroy {
  void operator()(Object* object) const { destroy(object); }
};
template <class Pointer, auto destroy>
using Handle =
    std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy<std::remove_pointer_t<Pointer>, destroy>>;

using VectorHandle = Handle<N_Vector, N_VDestroy>;
using MatrixHandle = Handle<SUNMatrix, SUNMatDestroy>;
using LinearSolverHandle = Handle<SUNLinearSolver, SUNLinSolFree>;
using NonlinearSolverHandle = Handle<SUNNonlinearSolver, SUNNonlinSolFree>;

/// What a run gives to SUNDIALS: the callbacks find it in their user data.
struct Problem {
  Problem(PeerRun& peer_run, double setting) : run(peer_run), tolerance(peer_run, setting) {}

  PeerRun& run;
  MotionTolerance tolerance;
  std::optional<FirstOrderMatrix> jacobian;
  // The Jacobian that GMRES multiplies with, assembled once per time: Newton's iterations within a step share
  // it.
  std::optional<OscillatorJacobian> product;
  double product_time = 0;
  std::string message = {};  // the library's own words on what went wrong
};

Problem& problem(void* data) { return *static_cast<Problem*>(data); }
double* data(N_Vector v) { return N_VGetArrayPointer(v); }

int rate(realtype t, N_Vector y, N_Vector out, void* user) {
  PeerRun& run = problem(user).run;
  constexpr int try_a_shorter_step = 1;
  return run.guard([&] { return run.rate(t, data(y), data(out)) ? 0 : try_a_shorter_step; });
}

int error_weights(N_Vector, N_Vector weights, void* user) {
  problem(user).tolerance.write(data(weights));
  N_VInv(weights, weights);
  return 0;
}

void set_pattern(const CompressedRows& rows, SUNMatrix out) {
  std::copy(rows.starts.begin(), rows.starts.end(), SUNSparseMatrix_IndexPointers(out));
  std::copy(rows.columns.begin(), rows.columns.end(), SUNSparseMatrix_IndexValues(out));
}

int jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix out, void* user, N_Vector, N_Vector, N_Vector) {
  PeerRun& run = problem(user).run;
  return run.guard([&] {
    FirstOrderMatrix& J = *problem(user).jacobian;
    J.set_jacobian(run.tangent(t, data(y), data(y) + run.unknowns()), run.system().mass());
    set_pattern(J.rows(), out);
    std::copy(J.rows().values.begin(), J.rows().values.end(), SUNSparseMatrix_Data(out));
    return 0;
  });
}

int prepare_product(realtype t, N_Vector y, N_Vector, void* user) {
  Problem& p = problem(user);
  return p.run.guard([&] {
    if (p.product && p.product_time == t) return 0;
    const Tangent& tangent = p.run.tangent(t, data(y), data(y) + p.run.unknowns());
    p.product.emplace(p.run.system().mass(), tangent, 0.0, p.run.system().counters());
    p.product_time = t;
    return 0;
  });
}

int multiply(N_Vector v, N_Vector out, realtype, N_Vector, N_Vector, void* user, N_Vector) {
  PeerRun& run = problem(user).run;
  return run.guard([&] {
    const std::size_t size = 2 * run.unknowns();
    problem(user).product->apply(ConstVectorView(host_backend(), data(v), size),
                                 VectorView(host_backend(), data(out), size));
    return 0;
  });
}

void keep_message(int code, const char*, const char*, char* text, void* user) {
  if (code < 0) problem(user).message = text;
}

enum class Solver { none, fixed_point, klu, gmres };

struct Method {
  const char *name, *library, *summary;
  int family;  // CV_BDF or CV_ADAMS; the order of a Runge–Kutta method
  Solver solver;
};

/// The objects of one run, made before the integrator that uses them and destroyed after it.
class Objects {
 public:
  Objects(Problem& p, Solver solver) {
    PeerRun& run = p.run;
    const auto size = static_cast<sunindextype>(2 * run.unknowns());
    y_.reset(N_VNew_Serial(size, context_));
    dense_.reset(N_VClone(y_.get()));
    std::copy_n(host(run.start().y).data(), size, data(y()));
    if (solver == Solver::klu) {
      const std::size_t n = run.unknowns();
      const double* y0 = data(y());
      p.jacobian.emplace(run.tangent(run.start().time, y0, y0 + n), run.system().mass());
      const auto entries = static_cast<sunindextype>(p.jacobian->rows().values.size());
      matrix_.reset(SUNSparseMatrix(size, size, entries, CSR_MAT, context_));
      set_pattern(p.jacobian->rows(), matrix_.get());
      linear_.reset(SUNLinSol_KLU(y(), matrix_.get(), context_));
    } else if (solver == Solver::gmres) {
      constexpr int krylov_dimension = 40;  // the default of 5 does not get far without a preconditioner
      linear_.reset(SUNLinSol_SPGMR(y(), SUN_PREC_NONE, krylov_dimension, context_));
    } else if (solver == Solver::fixed_point) {
      nonlinear_.reset(SUNNonlinSol_FixedPoint(y(), 0, context_));
    }
  }

  SUNContext context() const { return context_; }
  N_Vector y() const { return y_.get(); }
  N_Vector dense() const { return dense_.get(); }
  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver linear() const { return linear_.get(); }
  SUNNonlinearSolver nonlinear() const { return nonlinear_.get(); }

 private:
  sundials::Context context_;
  VectorHandle y_, dense_;
  MatrixHandle matrix_;
  LinearSolverHandle linear_;
  NonlinearSolverHandle nonlinear_;
};

struct Statistics {
  long steps = 0, rejected = 0, setups = 0, newton = 0, krylov = 0;
};

/// CVODE and ARKODE behind one interface: each function returns SUNDIALS' code, negative for a failure.
class Cvode {
 public:
  Cvode(const Method& method, Problem& p, const Objects& objects)
      : memory_(CVodeCreate(method.family, objects.context())) {
    code_ = CVodeInit(memory_, rate, p.run.start().time, objects.y());
    CVodeSetUserData(memory_, &p);
    CVodeSetErrHandlerFn(memory_, keep_message, &p);
    CVodeWFtolerances(memory_, error_weights);
    if (objects.nonlinear()) CVodeSetNonlinearSolver(memory_, objects.nonlinear());
    if (objects.linear()) CVodeSetLinearSolver(memory_, objects.linear(), objects.matrix());
    if (method.solver == Solver::klu) CVodeSetJacFn(memory_, jacobian);
    if (method.solver == Solver::gmres) CVodeSetJacTimes(memory_, prepare_product, multiply);
    // Eigenvalues on the imaginary axis are where BDF of order 3 and more are unstable.
    if (method.family == CV_BDF) CVodeSetStabLimDet(memory_, SUNTRUE);
  }
  ~Cvode() { CVodeFree(&memory_); }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  int ready() const { return code_; }
  int step(double end, N_Vector y, double& t) { return CVode(memory_, end, y, &t, CV_ONE_STEP); }
  int interpolate(double t, N_Vector out) { return CVodeGetDky(memory_, t, 0, out); }
  Statistics statistics() const {
    Statistics s;
    CVodeGetNumSteps(memory_, &s.steps);
    long error_tests = 0, convergence = 0;
    CVodeGetNumErrTestFails(memory_, &error_tests);
    CVodeGetNumStepSolveFails(memory_, &convergence);
    s.rejected = error_tests + convergence;
    CVodeGetNumLinSolvSetups(memory_, &s.setups);
    CVodeGetNumNonlinSolvIters(memory_, &s.newton);
    CVodeGetNumLinIters(memory_, &s.krylov);
    return s;
  }

 private:
  void* memory_;
  int code_;
};

class Arkode {
 public:
  Arkode(const Method& method, Problem& p, const Objects& objects)
      : memory_(ARKStepCreate(method.solver == Solver::none ? rate : nullptr,
                              method.solver == Solver::none ? nullptr : rate, p.run.start().time, objects.y(),
                              objects.context())) {
    code_ = ARKStepSetUserData(memory_, &p);
    ARKStepSetErrHandlerFn(memory_, keep_message, &p);
    ARKStepSetOrder(memory_, method.family);
    ARKStepWFtolerances(memory_, error_weights);
    if (objects.linear()) ARKStepSetLinearSolver(memory_, objects.linear(), objects.matrix());
    if (method.solver == Solver::klu) ARKStepSetJacFn(memory_, jacobian);
  }
  ~Arkode() { ARKStepFree(&memory_); }
  Arkode(const Arkode&) = delete;
  Arkode& operator=(const Arkode&) = delete;

  int ready() const { return code_; }
  int step(double end, N_Vector y, double& t) { return ARKStepEvolve(memory_, end, y, &t, ARK_ONE_STEP); }
  int interpolate(double t, N_Vector out) { return ARKStepGetDky(memory_, t, 0, out); }
  Statistics statistics() const {
    Statistics s;
    ARKStepGetNumSteps(memory_, &s.steps);
    long attempts = 0;
    ARKStepGetNumStepAttempts(memory_, &attempts);
    s.rejected = attempts - s.steps;
    ARKStepGetNumLinSolvSetups(memory_, &s.setups);
    ARKStepGetNumNonlinSolvIters(memory_, &s.newton);
    ARKStepGetNumLinIters(memory_, &s.krylov);
    return s;
  }

 private:
  void* memory_;
  int code_;
};

template <class Integrator>
class SundialsPeer final : public Peer {
 public:
  explicit SundialsPeer(const Method& method) : Peer(method.name, Knob::tolerance), method_(method) {}

 private:
  void integrate(PeerRun& run, double setting) override {
    Problem p(run, setting);
    const Objects objects(p, method_.solver);
    Integrator integrator(method_, p, objects);
    try {
      advance(integrator, p, objects);
    } catch (...) {
      write_statistics(integrator, run.result());
      throw;
    }
    write_statistics(integrator, run.result());
  }

  /// Steps as the library chooses them; moments are interpolated by its own polynomials.
  void advance(Integrator& integrator, Problem& p, const Objects& objects) const {
    const auto check = [&](int code) {
      if (code >= 0) return;
      p.run.rethrow();
      throw SimulationError(fmt::format("{}: {} (code {})", method_.library, p.message, code));
    };
    check(integrator.ready());
    double t = p.run.start().time;
    while (!p.run.done()) {
      check(integrator.step(p.run.end(), objects.y(), t));
      p.tolerance.see(t, data(objects.y()));
      p.run.record_until(t, [&](double moment, double* out) {
        check(integrator.interpolate(moment, objects.dense()));
        std::copy_n(data(objects.dense()), 2 * p.run.unknowns(), out);
      });
    }
  }

  void write_statistics(const Integrator& integrator, Trajectory& result) const {
    const Statistics s = integrator.statistics();
    result.steps = s.steps;
    result.rejected_steps = s.rejected;
    if (method_.solver == Solver::klu) {
      result.work.factorization += s.setups;
      result.work.solve += s.newton;
    } else if (method_.solver == Solver::gmres) {
      result.work.inner += s.krylov;
    } else {
      result.work.inner += s.newton;  // of the fixed-point iteration
    }
  }

  Method method_;
};

}  // namespace

std::vector<PeerInfo> sundials_peers() {
  const Method cvode[] = {
      {"cvode-bdf", "CVODE", "BDF of orders 1 to 5, Newton with sparse LU (KLU), exact Jacobian", CV_BDF,
       Solver::klu},
      {"cvode-bdf-gmres", "CVODE",
       "BDF of orders 1 to 5, Newton with GMRES(40), exact products, no preconditioner", CV_BDF,
       Solver::gmres},
      {"cvode-adams", "CVODE", "Adams–Moulton of orders 1 to 12, fixed-point iteration", CV_ADAMS,
       Solver::fixed_point},
  };
  const Method arkode[] = {
      {"arkode-erk", "ARKODE", "explicit Runge–Kutta of order 4, the library's default", 4, Solver::none},
      {"arkode-dirk", "ARKODE",
       "diagonally implicit Runge–Kutta of order 4, the library's default, Newton with sparse LU (KLU)", 4,
       Solver::klu},
  };
  std::vector<PeerInfo> all;
  const auto add = [&]<class Integrator>(const Method& method, std::type_identity<Integrator>) {
    all.push_back({method.name, method.library, SUNDIALS_VERSION, method.summary, Knob::tolerance,
                   [method] { return std::make_unique<SundialsPeer<Integrator>>(method); }});
  };
  for (const Method& method : cvode) add(method, std::type_identity<Cvode>{});
  for (const Method& method : arkode) add(method, std::type_identity<Arkode>{});
  return all;
}

}  // namespace stiffly::study
