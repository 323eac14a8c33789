// Eigen's kernels of dense products and triangular solves, compiled once in dense_kernels.cpp instead of in
// every file that multiplies two matrices, where they take the compiler several seconds. Nothing depends on
// this: it is part of what is precompiled, and without it every file has copies of its own.
#pragma once

#include <Eigen/Dense>

// With `extern template` it declares, with `template` it defines.
#define STIFFLY_DENSE_KERNELS(KEYWORDS)                                                                     \
  KEYWORDS struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor, 0, 1>,       \
                              gebp_traits<double, double>::mr, gebp_traits<double, double>::nr, false,      \
                              false>;                                                                       \
  KEYWORDS struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,             \
                                gebp_traits<double, double>::mr, gebp_traits<double, double>::LhsProgress,  \
                                gebp_traits<double, double>::LhsPacket4Packing, ColMajor>;                  \
  KEYWORDS struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,             \
                                gebp_traits<double, double>::mr, gebp_traits<double, double>::LhsProgress,  \
                                gebp_traits<double, double>::LhsPacket4Packing, RowMajor>;                  \
  KEYWORDS struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,             \
                                gebp_traits<double, double>::nr, ColMajor>;                                 \
  KEYWORDS struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,             \
                                gebp_traits<double, double>::nr, RowMajor>;                                 \
  KEYWORDS struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor, false,    \
                                                ColMajor, 1>;                                               \
  KEYWORDS struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false,    \
                                                ColMajor, 1>;                                               \
  KEYWORDS struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false,    \
                                                ColMajor, 1>;                                               \
  KEYWORDS struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, 0>, 0, \
                                                false, double, const_blas_data_mapper<double, Index, 1>,    \
                                                false, 0>;                                                  \
  KEYWORDS struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, 1>, 1, \
                                                false, double, const_blas_data_mapper<double, Index, 0>,    \
                                                false, 0>;                                                  \
  KEYWORDS struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, 1>, 1, \
                                                false, double, const_blas_data_mapper<double, Index, 1>,    \
                                                false, 1>;                                                  \
  KEYWORDS struct triangular_solve_matrix<double, Index, OnTheLeft, UnitLower, false, ColMajor, ColMajor,   \
                                          1>;                                                               \
  KEYWORDS struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, ColMajor, ColMajor, 1>;   \
  KEYWORDS struct triangular_solve_matrix<double, Index, OnTheLeft, Lower, false, ColMajor, ColMajor, 1>;

namespace Eigen::internal {
STIFFLY_DENSE_KERNELS(extern template)
}
