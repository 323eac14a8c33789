#include "stiffly/view/capture.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "stiffly/error.hpp"
#include "stiffly/files/program.hpp"
#include "stiffly/view/server.hpp"
#include "stiffly/view/site.hpp"

namespace stiffly::view {
namespace {

constexpr std::size_t largest_picture = 64u << 20;
constexpr auto patience = std::chrono::seconds(180);  ///< from one picture to the next

/// What comes from the page, on the server's threads, for the one that waits for it.
class Inbox {
 public:
  explicit Inbox(std::size_t expected) : expected_(expected) {}

  /// The page draws its next one after the answer: not before the last one has been taken.
  Reply picture(const Request& request) {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [&] { return !picture_ || closed_; });
    const auto number = request.query.find("number");
    if (number == request.query.end() || number->second != std::to_string(arrived_) ||
        arrived_ == expected_ || closed_)
      throw InputError("this is not the picture that is due");
    if (!request.body.starts_with("\x89PNG")) throw InputError("this is no picture");
    ++arrived_;
    picture_ = request.body;
    news_.notify_all();
    return {"{}"};
  }
  Reply failure(const Request& request) {
    const std::scoped_lock lock(mutex_);
    failure_ = request.body;
    news_.notify_all();
    return {"{}"};
  }

  /// Waits for the next one; none where `lost` says that none will come.
  std::optional<std::string> next(const std::function<bool()>& lost) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::unique_lock lock(mutex_);
    while (!picture_ && failure_.empty()) {
      if (lost() || std::chrono::steady_clock::now() > deadline) return {};
      news_.wait_for(lock, std::chrono::milliseconds(100));
    }
    if (!failure_.empty()) throw InputError(failure_);
    news_.notify_all();
    return std::exchange(picture_, std::nullopt);
  }
  /// Nobody takes any more.
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    news_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::size_t expected_, arrived_ = 0;
  std::optional<std::string> picture_;
  bool closed_ = false;
  std::string failure_;
};

/// Before the server ends, which waits for its answers.
struct Closing {
  Inbox& inbox;
  ~Closing() { inbox.close(); }
};

std::string order_json(const PictureOrder& order) {
  nlohmann::json out = {{"width", order.width},
                        {"height", order.height},
                        {"times", order.times},
                        {"magnification", order.magnification},
                        {"dark", order.dark}};
  if (!order.quantity.empty()) out["quantity"] = order.quantity;
  return out.dump();
}

std::vector<std::string> browser_arguments(const PictureOrder& order, const std::filesystem::path& profile,
                                           const std::string& url) {
  std::vector<std::string> out = {"--headless",
                                  "--enable-unsafe-swiftshader",
                                  "--disable-background-networking",
                                  "--disable-component-update",
                                  "--no-first-run",
                                  "--mute-audio",
                                  "--force-device-scale-factor=1",
                                  "--user-data-dir=" + profile.string(),
                                  fmt::format("--window-size={},{}", order.width, order.height)};
  if (geteuid() == 0) out.emplace_back("--no-sandbox");  // it does not start otherwise
  out.push_back(url + "?capture");
  return out;
}

}  // namespace

std::filesystem::path find_browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"})
    if (const auto found = find_program(name)) return *found;
  throw FileError(
      "pictures and movies are drawn by Chromium, which is not installed: apt-get install chromium, or what "
      "your system calls it");
}

void draw_pictures(const std::filesystem::path& page, std::vector<std::shared_ptr<RunSource>> runs,
                   const PictureOrder& order, const TakePicture& take) {
  const std::filesystem::path browser = find_browser();
  Inbox inbox(order.times.size());
  Site site(page, std::move(runs));
  site.on_get("capture/order", [&](const Request&) { return Reply{order_json(order)}; });
  site.on_post("capture/picture", [&](const Request& request) { return inbox.picture(request); });
  site.on_post("capture/failure", [&](const Request& request) { return inbox.failure(request); });
  const Server server([&](const Request& request) { return site.answer(request); }, largest_picture);
  const Closing closing{inbox};
  const ScratchFolder profile;
  RunningProgram running(browser, browser_arguments(order, profile.path(), server.url()), profile.path());
  for (std::size_t number = 0; number < order.times.size(); ++number) {
    const auto picture = inbox.next([&] { return running.ended(); });
    if (!picture)
      throw FileError(fmt::format("{} gave no picture; it said: {}", browser.string(), running.output()));
    take(number, *picture);
  }
}

}  // namespace stiffly::view
