// The table of one W, for the files that are compiled once for each kind of processor.
#pragma once

#include "stiffly/fibres/batch_kernel_table.hpp"
#include "stiffly/fibres/batch_kernels.hpp"
#include "stiffly/fibres/batch_krylov.hpp"
#include "stiffly/fibres/batch_tangent.hpp"
#include "stiffly/fibres/small_exponentials.hpp"

namespace stiffly {

template <int W>
struct BatchKernelsFor {
  using Matrix = BlockTridiagonal<W>;
  using Kernels = BatchKernels<W>;
  using Tangent = BatchTangent<W>;
  using Krylov = BatchKrylov<W>;
  using Small = SmallExponentials<W>;
  using Math = LaneMath<W>;
  using Panel = typename Matrix::Panel;

  static void factor_matrix(int sections, double* panels, double* inverse_pivots, double* failed) {
    Matrix::factor(sections, reinterpret_cast<Panel*>(panels), Math::at(inverse_pivots), Math::at(failed));
  }
  static void solve(int sections, const double* panels, const double* inverse_pivots, double* x) {
    Matrix::solve(sections, reinterpret_cast<const Panel*>(panels), Math::at(inverse_pivots), Math::at(x));
  }
  static void multiply(int sections, const double* panels, const double* x, double* y) {
    Matrix::multiply(sections, reinterpret_cast<const Panel*>(panels), Math::at(x), Math::at(y));
  }

  static constexpr BatchKernelTable table(const char* name) {
    return {.lanes = W,
            .name = name,
            .factor_matrix = factor_matrix,
            .solve = solve,
            .multiply = multiply,
            .place = Kernels::place,
            .freeze = Kernels::freeze,
            .factor = Kernels::factor,
            .iterate = Kernels::iterate,
            .account = Kernels::account,
            .copy = Kernels::copy,
            .add = Kernels::add,
            .norm = Kernels::norm,
            .measure = Kernels::measure,
            .evaluate = Kernels::evaluate,
            .force = Tangent::force,
            .linearize = Tangent::linearize,
            .respond = Tangent::respond,
            .factor_shifted = Tangent::factor_shifted,
            .defect = Tangent::defect,
            .project = Krylov::project,
            .subtract = Krylov::subtract,
            .combine = Krylov::combine,
            .momentum = Krylov::momentum,
            .square = Krylov::square,
            .scale = Krylov::scale,
            .compress = Krylov::compress,
            .exponential = Small::exponential,
            .apply_small = Small::apply};
  }
};

}  // namespace stiffly
