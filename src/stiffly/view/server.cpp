#include "stiffly/view/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <array>
#include <cstdint>
#include <random>
#include <thread>

#include "stiffly/error.hpp"

namespace stiffly::view {
namespace {

/// A connection that is open holds one: six of a browser to each page, and those of who begins a request and
/// does not end it, for as long as they are waited for.
constexpr int threads = 32;
constexpr int patience_seconds = 3;

std::string random_token() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", random());
  return out;
}

/// In a time that does not tell how much of it is right.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

Reply refusal(int status, std::string_view why) {
  return {fmt::format("{}\n", why), "text/plain; charset=utf-8", status};
}

/// The address keeps the secret to itself, nothing comes from elsewhere, nobody puts the page into a frame.
const httplib::Headers safety = {
    {"Content-Security-Policy",
     "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; frame-ancestors "
     "'none'"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cache-Control", "no-store"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

}  // namespace

class Server::Listener {
 public:
  Listener(Handler handler, std::size_t largest_message) : handler_(std::move(handler)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(threads); };
    server_.set_payload_max_length(largest_message);
    server_.set_keep_alive_max_count(10000);
    server_.set_keep_alive_timeout(patience_seconds);
    server_.set_read_timeout(patience_seconds);
    server_.set_tcp_nodelay(true);
    server_.set_default_headers(safety);
    // Before a body is read, and whatever the method.
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (const std::string why = foreign(request); !why.empty())
        put(refusal(403, why), response);
      else if (!plain_body(request))
        put(refusal(411, "messages come as they are, in one piece whose length is said"), response);
      else
        return httplib::Server::HandlerResponse::Unhandled;
      return httplib::Server::HandlerResponse::Handled;
    });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      put(reply(request), response);
    };
    server_.Get(".*", answer);
    server_.Post(".*", answer);
    port_ = server_.bind_to_any_port("127.0.0.1");
    if (port_ <= 0) throw FileError("no port of this machine's loopback interface is free for the viewer");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }

  ~Listener() {
    server_.stop();
    thread_.join();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  const std::string& token() const { return token_; }

 private:
  /// As it is: to pack it takes longer than to send it from one program to another on the same machine.
  static void put(Reply reply, httplib::Response& response) {
    response.status = reply.status;
    if (reply.body.empty()) return response.set_content("", reply.type);
    const auto body = std::make_shared<const std::string>(std::move(reply.body));
    response.set_content_provider(body->size(), reply.type,
                                  [body](std::size_t offset, std::size_t length, httplib::DataSink& to) {
                                    return to.write(body->data() + offset, length);
                                  });
  }

  /// Why the request is not one of the user's own page or address line; empty where it is.
  std::string foreign(const httplib::Request& request) const {
    const std::array names = {fmt::format("127.0.0.1:{}", port_), fmt::format("localhost:{}", port_)};
    const auto ours = [&](const std::string& name, const std::string& scheme) {
      return name == scheme + names[0] || name == scheme + names[1];
    };
    if (request.get_header_value_count("Host") != 1 || !ours(request.get_header_value("Host"), ""))
      return "this is not the name of this server";
    if (request.has_header("Origin") && !ours(request.get_header_value("Origin"), "http://"))
      return "requests of other pages are not answered";
    const std::string_view path = request.path;
    if (path.size() <= token_.size() + 1 || path[0] != '/' || path[token_.size() + 1] != '/' ||
        !same_secret(path.substr(1, token_.size()), token_))
      return "the address does not have the token that the program has printed";
    return {};
  }

  /// What is packed, or comes in pieces or parts, would be read past the limit before anybody could look.
  static bool plain_body(const httplib::Request& request) {
    return !request.has_header("Transfer-Encoding") && !request.has_header("Content-Encoding") &&
           !request.get_header_value("Content-Type").starts_with("multipart/") &&
           request.get_header_value_count("Content-Length") <= 1;
  }

  Reply reply(const httplib::Request& request) const {
    Request asked{request.method, request.path.substr(token_.size() + 2), {}, request.body};
    for (const auto& [name, value] : request.params) asked.query.emplace(name, value);
    try {
      return handler_(asked);
    } catch (const InputError& error) {
      return refusal(400, error.what());
    } catch (const FileError& error) {
      return refusal(503, error.what());
    } catch (const std::exception& error) {
      return refusal(500, error.what());
    }
  }

  Handler handler_;
  std::string token_ = random_token();
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

Server::Server(Handler handler, std::size_t largest_message)
    : listener_(std::make_unique<Listener>(std::move(handler), largest_message)) {}
Server::~Server() = default;
int Server::port() const { return listener_->port(); }
const std::string& Server::token() const { return listener_->token(); }
std::string Server::url() const { return fmt::format("http://127.0.0.1:{}/{}/", port(), token()); }

}  // namespace stiffly::view
