# PETSc for real numbers, with the MPI it was built for: PETSC::PETSC.
include(PkgConfigTarget)
stiffly_pkg_config_target(PETSC PETSc)
