# Every installed header compiles alone, with nothing precompiled.
# Expects: compiler, source, eigen, headers (separated by spaces).
string(REPLACE " " ";" headers "${headers}")
foreach(header IN LISTS headers)
  execute_process(
    COMMAND ${compiler} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I ${source}/src -isystem ${eigen}
      -include ${header} -x c++ /dev/null
    RESULT_VARIABLE failed ERROR_VARIABLE said)
  if(failed)
    message(SEND_ERROR "${header} does not compile alone:\n${said}")
  endif()
endforeach()
