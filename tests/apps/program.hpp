// Calls the program as a user does.
#pragma once

#ifdef STIFFLY_PROGRAM

#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "temporary_folder.hpp"

namespace stiffly::test {

struct Result {
  int code;
  std::string out, error;
};

inline Result shell(const TemporaryFolder& folder, const std::string& command) {
  const std::string error_file = (folder / "stderr").string();
  FILE* pipe = popen(
      ("cd '" + folder.path().string() + "' && { " + command + "; } 2>'" + error_file + "'").c_str(), "r");
  std::string out;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out, contents(error_file)};
}

inline Result run(const TemporaryFolder& folder, const std::string& arguments) {
  return shell(folder, "'" STIFFLY_PROGRAM "' " + arguments);
}

}  // namespace stiffly::test

#endif
