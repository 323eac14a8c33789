// stiffly run --view: a run in the browser while it goes on.
#include <fmt/format.h>

#include <optional>

#include "command_line.hpp"
#include "onlooker.hpp"
#include "stiffly/view/live_run.hpp"
#include "stiffly/view/server.hpp"
#include "view.hpp"

namespace stiffly::app {
namespace {

class LiveView final : public Onlooker {
 public:
  LiveView(Scene& scene, bool paused)
      : run_(std::make_shared<view::LiveRun>(scene, paused)),
        site_(view::page_folder(this_program()), {run_}) {
    site_.on_get("live", [this](const view::Request& request) { return run_->state(request); });
    site_.on_post("live", [this](const view::Request& request) { return run_->order(request); });
    server_.emplace([this](const view::Request& request) { return site_.answer(request); },
                    view::largest_view_message);
  }
  ~LiveView() override { run_->close(); }

  void begin(const SceneRun& run) override {
    run_->begin(run);
    announce(server_->url(), true, stderr);
  }
  bool step(const State& state, const SimulationSummary& summary,
            const std::function<bool()>& wanted) override {
    return run_->step(state, summary, wanted);
  }
  void frame(const State& state) override { run_->frame(state); }
  bool steered() const override { return run_->steered(); }
  void end(const RunReport& report) override { run_->end(report); }
  void wait() override {
    fmt::print(stderr, "stiffly: the run has ended; the viewer stays until Ctrl-C\n");
    wait_for_interrupt();
  }

 private:
  std::shared_ptr<view::LiveRun> run_;
  view::Site site_;
  std::optional<view::Server> server_;
};

}  // namespace

void add_live_run(CLI::App& program, Action& action) {
  add_run(program, action, [](Scene& scene, bool paused) -> std::unique_ptr<Onlooker> {
    return std::make_unique<LiveView>(scene, paused);
  });
}

}  // namespace stiffly::app
