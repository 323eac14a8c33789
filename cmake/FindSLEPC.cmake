# SLEPc for real numbers, which stands on PETSc: SLEPC::SLEPC.
include(PkgConfigTarget)
stiffly_pkg_config_target(SLEPC SLEPc)
