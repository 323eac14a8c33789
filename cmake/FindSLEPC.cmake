# SLEPc for real numbers, which stands on PETSc: SLEPC::SLEPC.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(SLEPC_PKG QUIET IMPORTED_TARGET SLEPc mpi-c)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SLEPC REQUIRED_VARS SLEPC_PKG_FOUND)

if(SLEPC_FOUND AND NOT TARGET SLEPC::SLEPC)
  # Without the options that the distribution compiled it with.
  set_target_properties(PkgConfig::SLEPC_PKG PROPERTIES INTERFACE_COMPILE_OPTIONS "")
  add_library(SLEPC::SLEPC ALIAS PkgConfig::SLEPC_PKG)
endif()
