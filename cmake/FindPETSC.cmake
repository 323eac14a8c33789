# PETSc for real numbers, with the MPI it was built for: PETSC::PETSC.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PETSC_PKG QUIET IMPORTED_TARGET PETSc mpi-c)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PETSC REQUIRED_VARS PETSC_PKG_FOUND)

if(PETSC_FOUND AND NOT TARGET PETSC::PETSC)
  # Without the options that the distribution compiled it with.
  set_target_properties(PkgConfig::PETSC_PKG PROPERTIES INTERFACE_COMPILE_OPTIONS "")
  add_library(PETSC::PETSC ALIAS PkgConfig::PETSC_PKG)
endif()
