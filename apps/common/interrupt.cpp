#include "interrupt.hpp"

#include <csignal>

namespace stiffly::app {
namespace {

volatile std::sig_atomic_t requested = 0;

void note(int) { requested = 1; }

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupt_requested() { return requested != 0; }

}  // namespace stiffly::app
