// stiffly report: one page from the folders of runs and studies.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/study/report.hpp"

namespace stiffly::app {

using namespace study;

void add_report(CLI::App& program, Action& action) {
  struct Options {
    std::vector<std::filesystem::path> folders;
    std::string output;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command = add_study_command(program, "report");
  command->add_option("DIR", o->folders, "Folders that runs, comparisons and studies were written to")
      ->required();
  command->add_option("-o,--output", o->output, "File to write [report.html in the first folder]");
  command->callback([o, &action] {
    action = [o]() -> int {
      const std::filesystem::path file =
          o->output.empty() ? o->folders.front() / "report.html" : std::filesystem::path(o->output);
      write_file(file, html_report(o->folders));
      fmt::print("{}\n", file.string());
      return done;
    };
  });
}

}  // namespace stiffly::app
