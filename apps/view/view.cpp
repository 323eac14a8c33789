// stiffly view: the folders of runs, shown in a browser.
#include "view.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "command_line.hpp"
#include "interrupt.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/program.hpp"
#include "stiffly/view/folder_source.hpp"
#include "stiffly/view/server.hpp"

namespace stiffly::app {
namespace {

constexpr std::size_t most_runs = 2;

int serve(const std::vector<std::string>& folders, bool open) {
  const view::Site site(view::page_folder(this_program()), open_runs(folders));
  watch_interrupts();
  const view::Server server([&](const view::Request& request) { return site.answer(request); },
                            view::largest_view_message);
  announce(server.url(), open);
  wait_for_interrupt();
  return done;
}

}  // namespace

std::vector<std::shared_ptr<view::RunSource>> open_runs(const std::vector<std::string>& folders) {
  if (folders.empty() || folders.size() > most_runs)
    throw InputError(
        fmt::format("give the folder of a run, or of two to be compared; not {}", folders.size()));
  std::vector<std::shared_ptr<view::RunSource>> out;
  for (const std::string& folder : folders) out.push_back(std::make_shared<view::FolderSource>(folder));
  return out;
}

void announce(const std::string& url, bool open, std::FILE* to) {
  fmt::print(to, "{}\n", url);
  std::fflush(to);
  fmt::print(stderr, "stiffly: the viewer is at this address, for you alone; Ctrl-C ends it\n");
  const bool screen = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (!open || !screen) return;
  if (const auto opener = find_program("xdg-open"))
    run_program(*opener, {url}, "/", std::chrono::seconds(10));
}

void wait_for_interrupt(const std::function<bool()>& enough) {
  while (!interrupt_requested() && !(enough && enough()))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void add_view(CLI::App& program, Action& action) {
  struct Options {
    std::vector<std::string> folders;
    bool closed = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command = add_view_command(program, "view");
  command->add_option("DIR", o->folders, "Folder of a run, or of two to be compared")
      ->required()
      ->expected(1, 2);
  command->add_flag("--no-open", o->closed, "Only print the address; do not start a browser");
  command->callback([o, &action] { action = [o] { return serve(o->folders, !o->closed); }; });
}

}  // namespace stiffly::app
