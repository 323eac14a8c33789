# CVODE and ARKODE of SUNDIALS with the sparse solver KLU: SUNDIALS::SUNDIALS.
# SUNDIALS' own package file wants every library that any part of SUNDIALS may use.
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h)
find_path(SUNDIALS_KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(variables SUNDIALS_INCLUDE_DIR SUNDIALS_KLU_INCLUDE_DIR)
foreach(part cvode arkode nvecserial sunmatrixsparse sunlinsolklu sunlinsolspgmr sunnonlinsolfixedpoint generic)
  find_library(SUNDIALS_${part}_LIBRARY sundials_${part})
  list(APPEND variables SUNDIALS_${part}_LIBRARY)
  list(APPEND libraries ${SUNDIALS_${part}_LIBRARY})
endforeach()
mark_as_advanced(${variables})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SUNDIALS REQUIRED_VARS ${variables})

if(SUNDIALS_FOUND AND NOT TARGET SUNDIALS::SUNDIALS)
  add_library(SUNDIALS::SUNDIALS INTERFACE IMPORTED)
  set_target_properties(SUNDIALS::SUNDIALS PROPERTIES
    INTERFACE_LINK_LIBRARIES "${libraries}"
    INTERFACE_INCLUDE_DIRECTORIES "${SUNDIALS_INCLUDE_DIR};${SUNDIALS_KLU_INCLUDE_DIR}")
endif()
