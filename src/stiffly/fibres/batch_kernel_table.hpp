// The kernels of fibres for the processor at hand.
#pragma once

#include "stiffly/fibres/batch_view.hpp"

namespace stiffly {

/// Functions of BlockTridiagonal<W>, BatchKernels<W>, BatchTangent<W>, BatchKrylov<W> and
/// SmallExponentials<W> for one W, compiled for the processors that have such registers. Arrays are aligned
/// to W doubles.
struct BatchKernelTable {
  int lanes;         ///< W
  const char* name;  ///< of the instructions

  void (*factor_matrix)(int sections, double* panels, double* inverse_pivots, double* failed);
  void (*solve)(int sections, const double* panels, const double* inverse_pivots, double* x);
  void (*multiply)(int sections, const double* panels, const double* x, double* y);

  void (*place)(const BatchView& view);
  void (*freeze)(const BatchView& view, const double* fresh, const double* clamped);
  void (*factor)(const BatchView& view, double* failed);
  void (*iterate)(const BatchView& view, const double* active, double* correction, double* acceleration);
  void (*account)(const BatchView& view, double* supports, double* dashpots, double* drag);

  void (*copy)(int count, const double* from, double* to, const double* chosen);
  void (*add)(int count, const double* a, const double* from, double* to, const double* chosen);
  void (*norm)(int sections, const double* mass, int terms, const double* const* y, const double* weights,
               double* out);

  void (*measure)(const BatchView& view, const double* x, double* strain);
  void (*evaluate)(const BatchView& view, const double* x, const double* v, double* f, double* energy,
                   double* stiffness);

  void (*force)(const BatchView& view, const double* x, const double* v, double* f);
  void (*linearize)(const BatchView& view, const double* x, const double* v, double* f,
                    const TangentView& tangent);
  void (*respond)(const BatchView& view, const TangentView& tangent, const double* shift, const double* x,
                  const double* v, double* elastic, double* force, double* metric);
  void (*factor_shifted)(const BatchView& view, const TangentView& tangent, const double* s, double* failed);
  void (*defect)(const BatchView& view, const double* s, const double* r, const double* v, const double* f,
                 double* out, double* square);

  void (*project)(const BasisView& basis, int count, const double* x, const double* momentum,
                  const double* tail, double* c);
  void (*subtract)(const BasisView& basis, int count, const double* c);
  void (*combine)(const BasisView& basis, int count, const double* c, double* out, const double* chosen);
  void (*momentum)(const BatchView& view, const double* v, double* out);
  void (*square)(const BatchView& view, const double* x, const double* metric, const double* v, double* out);
  void (*scale)(int count, const double* a, double* y);
  void (*compress)(const BasisView& basis, int j, int row, double* H);

  void (*exponential)(int m, const double* A, const double* t, double* E, double* norm, double* work);
  void (*apply_small)(int m, const double* E, const double* x, double* y);
};

}  // namespace stiffly
