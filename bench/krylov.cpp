// What a Krylov evaluation costs besides its products.
#include <fmt/format.h>

#include "bench.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/coil.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly::bench {
namespace {

/// Passes everything on to another operator and keeps the time it took.
class Timed final : public LinearOperator {
 public:
  explicit Timed(const LinearOperator& inner) : inner_(inner) {}
  std::size_t size() const override { return inner_.size(); }
  void apply(ConstVectorView x, VectorView y) const override {
    elapsed += seconds([&] { inner_.apply(x, y); });
  }
  bool euclidean() const override { return inner_.euclidean(); }
  void apply_metric(ConstVectorView x, VectorView y) const override {
    elapsed += seconds([&] { inner_.apply_metric(x, y); });
  }
  void apply_both(ConstVectorView x, VectorView Ax, VectorView Gx) const override {
    elapsed += seconds([&] { inner_.apply_both(x, Ax, Gx); });
  }
  bool skew() const override { return inner_.skew(); }
  std::optional<double> spectral_bound() const override { return inner_.spectral_bound(); }
  mutable double elapsed = 0;

 private:
  const LinearOperator& inner_;
};

bool run() {
  const auto system = make_coil_system();
  const State state = system->initial_state();
  Tangent tangent;
  system->tangent(0, state.x(), state.v(), tangent);
  bool met = true;
  for (const double h : {0.05, 0.005}) {
    const OscillatorJacobian jacobian(system->mass(), tangent, 0.25 / h, system->counters());
    const Timed timed(jacobian);
    Vector rate(2 * system->unknowns());
    system->rate(state, rate);
    scale(h, rate);
    const ConstVectorView b[] = {{}, rate};
    const double node = 1;
    const auto evaluator = make_evaluator("phipm_simul_iom2");
    double share = 1, total = 0;
    int products = 0;
    for (int repeat = 0; repeat < 4; ++repeat) {
      timed.elapsed = 0;
      PhiResult result;
      const double time = seconds([&] {
        result = evaluator->evaluate({timed, h, b, {&node, 1}, {1e-4, 0}});
      });
      if (1 - timed.elapsed / time < share)
        share = 1 - timed.elapsed / time, total = time, products = result.report.products;
    }
    const double rho = *jacobian.spectral_bound();
    const bool fine = share <= 0.35;
    fmt::print(
        "full coil, {} unknowns, h = {} (hρ = {:.0f}): {} products, {:.3f} s, all but products {:.1f} % "
        "(bound 35 %) {}\n",
        system->unknowns(), h, h * rho, products, total, 100 * share, verdict(fine));
    met = met && fine;
  }
  return met;
}

}  // namespace

Section krylov_overhead() {
  return {"krylov", "share of phipm_simul_iom2 that is not products, on the full coil", run};
}

}  // namespace stiffly::bench
