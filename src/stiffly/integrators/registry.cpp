#include "stiffly/integrators/registry.hpp"

#include "stiffly/integrators/bdf.hpp"
#include "stiffly/integrators/energy_exponential.hpp"
#include "stiffly/integrators/exponential_method.hpp"
#include "stiffly/integrators/gautschi.hpp"
#include "stiffly/integrators/newmark.hpp"
#include "stiffly/integrators/projected.hpp"
#include "stiffly/integrators/rosenbrock.hpp"
#include "stiffly/integrators/v_imex.hpp"
#include "stiffly/integrators/verlet.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

std::vector<IntegratorInfo> make_integrators() {
  std::vector<IntegratorInfo> all;
  for (const ExponentialTableau& tableau : exponential_tableaus())
    all.push_back({ExponentialMethod::traits_of(tableau), [&tableau](const IntegratorOptions& options) {
                     return std::make_unique<ExponentialMethod>(tableau, options);
                   }});
  for (const GautschiFilter filter :
       {GautschiFilter::none, GautschiFilter::sinc, GautschiFilter::hochbruck_lubich})
    all.push_back({Gautschi::traits_of(filter), [filter](const IntegratorOptions& options) {
                     return std::make_unique<Gautschi>(filter, options);
                   }});
  for (const ButcherTableau& tableau : explicit_tableaus())
    all.push_back({tableau.traits, [&tableau](const IntegratorOptions&) {
                     return std::make_unique<ExplicitRungeKutta>(tableau);
                   }});
  for (const VerletForm form : {VerletForm::symplectic_euler, VerletForm::velocity, VerletForm::position})
    all.push_back({Verlet::traits_of(form),
                   [form](const IntegratorOptions&) { return std::make_unique<Verlet>(form); }});
  for (const ButcherTableau& tableau : dirk_tableaus())
    all.push_back({tableau.traits, [&tableau](const IntegratorOptions& options) {
                     return std::make_unique<Dirk>(tableau, options);
                   }});
  for (int k = 2; k <= 6; ++k)
    all.push_back({Bdf::traits_of(k),
                   [k](const IntegratorOptions& options) { return std::make_unique<Bdf>(k, options); }});
  all.push_back({Newmark::newmark(), [](const IntegratorOptions& options) {
                   return std::make_unique<Newmark>(Newmark::newmark(), NewmarkParameters{}, options);
                 }});
  all.push_back({Newmark::generalized_alpha(), [](const IntegratorOptions& options) {
                   return std::make_unique<Newmark>(Newmark::generalized_alpha(),
                                                    NewmarkParameters::generalized_alpha(0.8), options);
                 }});
  for (const EnergyMomentum::Variant& variant : EnergyMomentum::all())
    all.push_back({variant.traits, [variant](const IntegratorOptions& options) {
                     return std::make_unique<EnergyMomentum>(variant.traits, variant.parameters, options);
                   }});
  all.push_back({EnergyExponential::info(), [](const IntegratorOptions& options) {
                   return std::make_unique<EnergyExponential>(options);
                 }});
  for (const RosenbrockTableau& tableau : rosenbrock_tableaus())
    all.push_back({tableau.traits,
                   [&tableau](const IntegratorOptions&) { return std::make_unique<Rosenbrock>(tableau); }});
  all.push_back(
      {VImex::info(), [](const IntegratorOptions& options) { return std::make_unique<VImex>(options); }});
  for (IntegratorInfo& info : all)
    info.make = [make = info.make](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
      auto method = make(options);
      if (!options.projection) return method;
      return std::make_unique<Projected>(std::move(method), options.projection);
    };
  return all;
}

}  // namespace

std::span<const IntegratorInfo> integrators() {
  static const std::vector<IntegratorInfo> all = make_integrators();
  return all;
}

std::unique_ptr<Integrator> make_integrator(std::string_view name, const IntegratorOptions& options) {
  return find_by_name(integrators(), name, "integrator").make(options);
}

}  // namespace stiffly
