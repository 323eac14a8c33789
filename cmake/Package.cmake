# Installation, and the package that find_package(stiffly) reads. Component `library` is what others
# build against, component `program` the command-line programs.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stiffly)

install(TARGETS stiffly stiffly_study EXPORT stiffly-targets
  ARCHIVE COMPONENT library
  LIBRARY COMPONENT library
  RUNTIME COMPONENT library
  FILE_SET HEADERS COMPONENT library)
install(EXPORT stiffly-targets NAMESPACE stiffly:: DESTINATION ${package_dir} COMPONENT library)

configure_package_config_file(cmake/stiffly-config.cmake.in stiffly-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(stiffly-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES
    ${CMAKE_CURRENT_BINARY_DIR}/stiffly-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/stiffly-config-version.cmake
    cmake/FindCairo.cmake
    cmake/FindCHOLMOD.cmake
    cmake/FindHDF5C.cmake
    cmake/FindOpenBLAS.cmake
  DESTINATION ${package_dir}
  COMPONENT library)
install(FILES LICENSE NOTICE.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
if(TARGET stiffly_app)
  install(TARGETS stiffly_app stiffly_study_app RUNTIME COMPONENT program)
  if(TARGET stiffly_view_app)
    install(TARGETS stiffly_view_app RUNTIME COMPONENT program)
    # Its page, where the launcher or npm has built it.
    install(DIRECTORY build/viewer DESTINATION ${CMAKE_INSTALL_DATADIR}/stiffly COMPONENT program OPTIONAL)
  endif()
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stiffly COMPONENT program
    FILES_MATCHING PATTERN *.toml PATTERN *.off.gz)
endif()
