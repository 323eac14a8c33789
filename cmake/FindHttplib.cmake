# The web server of cpp-httplib: Httplib::Httplib. Debian's is compiled, and its classes have other sizes without the
# definitions it was compiled with.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(HTTPLIB_PKG QUIET IMPORTED_TARGET cpp-httplib)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Httplib REQUIRED_VARS HTTPLIB_PKG_FOUND)

if(Httplib_FOUND AND NOT TARGET Httplib::Httplib)
  add_library(Httplib::Httplib ALIAS PkgConfig::HTTPLIB_PKG)
endif()
