// The program stiffly-study: everything that compares many simulations. stiffly calls it; its commands are
// `stiffly compare`, `stiffly study` and so on.
#include "command_line.hpp"

int main(int argc, char** argv) {
  using namespace stiffly::app;
  return report_errors(argc, argv, [&] {
    return run_command_line(argc, argv, {add_compare, add_study, add_advise, add_report, add_reproduce});
  });
}
