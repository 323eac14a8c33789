# stiffly_target_settings(TARGET): how our own code is compiled. Private, so that nothing reaches users.
function(stiffly_target_settings target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    COMPILE_WARNING_AS_ERROR ${STIFFLY_WERROR})
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
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()
