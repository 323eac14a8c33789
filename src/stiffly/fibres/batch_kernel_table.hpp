// The kernels of fibres for the processor at hand.
#pragma once

#include "stiffly/fibres/batch_view.hpp"

namespace stiffly {

/// Functions of BlockTridiagonal<W> and BatchKernels<W> for one W, compiled for the processors that have such
/// registers. Arrays are aligned to W doubles.
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
};

}  // namespace stiffly
