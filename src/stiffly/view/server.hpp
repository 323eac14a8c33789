// A web server for one user on this machine.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace stiffly::view {

struct Request {
  std::string method;  ///< GET or POST
  std::string path;    ///< after the token, without a leading slash: "api/runs"
  std::map<std::string, std::string> query;
  std::string body;
};

struct Reply {
  std::string body;
  std::string type = "application/json";
  int status = 200;
};

/// Answers a request; called on several threads at once. InputErrors become status 400, FileErrors 503.
using Handler = std::function<Reply(const Request&)>;

/// Listens on the loopback interface only, on a port that is free. Answers requests whose path begins with a
/// secret of 128 random bits, and no others: whoever has not been given the URL gets nothing. Requests of
/// foreign pages (Origin), under foreign names (Host, as DNS rebinding would), and messages beyond
/// `largest_message` bytes are refused. Throws FileError where no port can be had.
class Server {
 public:
  Server(Handler handler, std::size_t largest_message);
  /// Stops, after the requests that are being answered.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  const std::string& token() const;
  /// http://127.0.0.1:PORT/TOKEN/
  std::string url() const;

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace stiffly::view
