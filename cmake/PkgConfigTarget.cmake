# For find modules: the pkg-config module MODULE, with MPI, as the target NAME::NAME.
macro(stiffly_pkg_config_target name module)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(${name}_PKG QUIET IMPORTED_TARGET ${module} mpi-c)
  endif()

  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(${name} REQUIRED_VARS ${name}_PKG_FOUND)

  if(${name}_FOUND AND NOT TARGET ${name}::${name})
    # Without the options that the distribution compiled it with.
    set_target_properties(PkgConfig::${name}_PKG PROPERTIES INTERFACE_COMPILE_OPTIONS "")
    add_library(${name}::${name} ALIAS PkgConfig::${name}_PKG)
  endif()
endmacro()
