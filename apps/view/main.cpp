// The program stiffly-view, which stiffly calls for what is shown in a browser.
#include "command_line.hpp"
#include "view.hpp"

int main(int argc, char** argv) {
  using namespace stiffly::app;
  return report_errors(argc, argv, [&] {
    return run_command_line(argc, argv, {add_view, add_movie, add_picture, add_live_run});
  });
}
