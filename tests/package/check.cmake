# Installs the built library into an empty prefix, builds the consumer beside this file against it, and runs it.
# Where there is a program, it is installed too, and finds the one for studies beside it.
# Expects: build, program (or nothing), consumer, work, version, generator, compiler, flags.
file(REMOVE_RECURSE ${work})

execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component library
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G ${generator}
    -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flags} -D CMAKE_PREFIX_PATH=${work}/prefix
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/build
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${work}/build/consumer
  OUTPUT_VARIABLE printed OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)

if(program)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component program
    COMMAND_ERROR_IS_FATAL ANY)
  foreach(command list study)
    execute_process(COMMAND ${work}/prefix/bin/stiffly ${command} --help OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()

if(NOT printed MATCHES "^stiffly ${version}, error of a step")
  message(FATAL_ERROR "the consumer printed '${printed}', expected '${version}'")
endif()
