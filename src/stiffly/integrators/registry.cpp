#include "stiffly/integrators/registry.hpp"

#include "stiffly/integrators/exponential_method.hpp"
#include "stiffly/integrators/gautschi.hpp"
#include "stiffly/integrators/runge_kutta4.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

std::vector<IntegratorInfo> make_all() {
  std::vector<IntegratorInfo> all;
  for (const ExponentialTableau& tableau : exponential_tableaus())
    all.push_back({ExponentialMethod::traits_of(tableau), [&tableau](const IntegratorOptions& options) {
                     return std::make_unique<ExponentialMethod>(tableau, options);
                   }});
  for (const GautschiFilter filter : {GautschiFilter::none, GautschiFilter::sinc, GautschiFilter::hochbruck_lubich})
    all.push_back({Gautschi::traits_of(filter), [filter](const IntegratorOptions& options) {
                     return std::make_unique<Gautschi>(filter, options);
                   }});
  all.push_back({RungeKutta4::info(), [](const IntegratorOptions&) { return std::make_unique<RungeKutta4>(); }});
  return all;
}

}  // namespace

std::span<const IntegratorInfo> integrators() {
  static const std::vector<IntegratorInfo> all = make_all();
  return all;
}

std::unique_ptr<Integrator> make_integrator(std::string_view name, const IntegratorOptions& options) {
  return find_by_name(integrators(), name, "integrator").make(options);
}

}  // namespace stiffly
