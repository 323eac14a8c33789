# stiffly_target_settings(TARGET): how our own code is compiled. Private, so that nothing reaches users.
function(stiffly_target_settings target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    COMPILE_WARNING_AS_ERROR ${STIFFLY_WERROR})
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE)  # see threads.hpp
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    # Nothing here reads errno or floating-point traps; without them sqrt and friends vectorise.
    # Not -ffast-math: compensated sums and NaN checks must stay what they are.
    -fno-math-errno -fno-trapping-math)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These depend on what the optimiser inlines and accuse Eigen falsely: shown, but not fatal.
    target_compile_options(${target} PRIVATE
      -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow
      -Wno-error=stringop-overread -Wno-error=restrict)
    if(STIFFLY_NATIVE)
      # GCC 12 says it of its own AVX-512 intrinsics, at every use.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-error=uninitialized)
    endif()
  endif()
endfunction()

# stiffly_cold_settings(TARGET): compiled quickly rather than made fast.
function(stiffly_cold_settings target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# stiffly_precompile(TARGET [HEADER...]): what nearly every file includes, and these. Eigen and the standard library
# take more of the compiler's time than most of our files do.
function(stiffly_precompile target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cmath> <complex> <cstdint> <filesystem> <functional> <limits> <map> <memory> <mutex>
    <numeric> <optional> <span> <string> <string_view> <utility> <variant> <vector>
    <fmt/format.h> ${PROJECT_SOURCE_DIR}/src/stiffly/linalg/dense_kernels.hpp ${ARGN})
  stiffly_ccache_sees_precompiled(${target})
endfunction()

# stiffly_precompile_like(TARGET OTHER): what is precompiled for another target that is compiled in the same way.
function(stiffly_precompile_like target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  stiffly_ccache_sees_precompiled(${target})
endfunction()

function(stiffly_ccache_sees_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# stiffly_unity(TARGET [NUMBER]): its files are compiled a room at a time, as they use the same templates, or NUMBER at a
# time, where 0 means all at once. Names that are local to a file must then differ within a room.
function(stiffly_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${STIFFLY_UNITY})
  if(ARGC GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARGV1})
  else()
    stiffly_unity_by_room(${target})
  endif()
  if(STIFFLY_UNITY)
    target_compile_options(${target} PRIVATE -Wno-shadow)  # of names that are local to another file
  endif()
  if(STIFFLY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Half a gigabyte before the compiler looks for memory to free: a tenth of its time otherwise.
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=524288)
  endif()
endfunction()

# The files of a room together, but at most so many that the compiler takes less than 1.5 GB.
function(stiffly_unity_by_room target)
  set(most 25)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(room ${source} DIRECTORY)
    get_filename_component(room "${room}" NAME)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(grouped ${source} UNITY_GROUP)
    if(alone OR grouped)
      continue()
    endif()
    if(NOT DEFINED count_${room})
      set(count_${room} 0)
    endif()
    math(EXPR group "${count_${room}} / ${most}")
    math(EXPR count_${room} "${count_${room}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${room}_${group}")
  endforeach()
endfunction()
