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

# stiffly_unity(TARGET [NUMBER]): its files are compiled NUMBER [8] at a time, 0 means all at once. Names that are local
# to a file must then differ within a room.
function(stiffly_unity target)
  set(number 8)
  if(ARGC GREATER 1)
    set(number ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${STIFFLY_UNITY} UNITY_BUILD_BATCH_SIZE ${number})
  if(STIFFLY_UNITY)
    target_compile_options(${target} PRIVATE -Wno-shadow)  # of names that are local to another file
  endif()
  if(STIFFLY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Half a gigabyte before the compiler looks for memory to free: a tenth of its time otherwise.
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=524288)
  endif()
endfunction()
