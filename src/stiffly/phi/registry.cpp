#include "stiffly/phi/registry.hpp"

#include <array>

#include "stiffly/phi/auto_evaluator.hpp"
#include "stiffly/phi/chebyshev.hpp"
#include "stiffly/phi/dense.hpp"
#include "stiffly/phi/kiops.hpp"
#include "stiffly/phi/leja.hpp"
#include "stiffly/phi/phipm.hpp"
#include "stiffly/phi/rational.hpp"
#include "stiffly/phi/taylor.hpp"
#include "stiffly/text.hpp"

namespace stiffly {

std::span<const EvaluatorInfo> evaluators() {
  static const std::array<EvaluatorInfo, 9> all = {{
      {"auto", "automatic", "picks one of the others from measured costs", "",
       [] { return std::make_unique<AutoEvaluator>(); }},
      {"dense", "dense", "scaling and squaring of the augmented matrix; small systems, and the oracle",
       "Al-Mohy & Higham 2011", [] { return std::make_unique<DenseEvaluator>(); }},
      {"phipm", "polynomial", "adaptive substeps and Krylov dimension, full orthogonalisation",
       "Niesen & Wright 2012", [] { return std::make_unique<Phipm>(Phipm::full()); }},
      {"phipm_simul_iom2", "polynomial", "phipm with incomplete orthogonalisation, all outputs in one sweep",
       "Luan, Pudykiewicz & Reynolds 2019", [] { return std::make_unique<Phipm>(Phipm::simul_iom2()); }},
      {"kiops", "polynomial", "one exponential of an augmented matrix, incomplete orthogonalisation",
       "Gaudreault, Rainwater & Tokman 2018", [] { return std::make_unique<Kiops>(); }},
      {"chebyshev", "polynomial", "Chebyshev series for conservative systems, no inner products",
       "Tal-Ezer & Kosloff 1984", [] { return std::make_unique<Chebyshev>(); }},
      {"taylor", "polynomial", "truncated Taylor series with substeps", "Al-Mohy & Higham 2011",
       [] { return std::make_unique<Taylor>(); }},
      {"leja", "polynomial", "Newton interpolation at Leja points of the imaginary axis",
       "Caliari, Kandolf, Ostermann & Rainer 2016", [] { return std::make_unique<Leja>(); }},
      {"rational", "rational", "shift-and-invert Krylov: cost independent of stiffness",
       "van den Eshof & Hochbruck 2006; Göckler & Grimm 2013", [] { return std::make_unique<Rational>(); }},
  }};
  return all;
}

std::unique_ptr<PhiEvaluator> make_evaluator(std::string_view name) {
  return find_by_name(evaluators(), name, "evaluator").make();
}

}  // namespace stiffly
