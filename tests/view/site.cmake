# The documentation site, built and looked at, or says what is missing for it.
# Expects: source, python_path, viewer, out.
find_program(node node)
execute_process(COMMAND /usr/bin/python3 -c "import sphinx, myst_parser" RESULT_VARIABLE no_sphinx ERROR_QUIET)
if(no_sphinx)
  message("skipped: Sphinx is not installed (apt-get install python3-sphinx python3-myst-parser)")
elseif(NOT node OR NOT EXISTS /usr/bin/chromium OR NOT EXISTS ${viewer}/node_modules/playwright-core)
  message("skipped: Node.js, Chromium or the viewer's packages are not installed")
else()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${python_path} ${source}/docs/site/build ${out}
    RESULT_VARIABLE failed OUTPUT_QUIET)
  if(NOT failed)
    execute_process(COMMAND ${node} ${viewer}/test/site.mjs ${out} RESULT_VARIABLE failed)
  endif()
  if(failed)
    message(FATAL_ERROR "the documentation site is not as it should be")
  endif()
endif()
