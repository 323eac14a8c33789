// Requests as bytes, so that they can be wrong in every way.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace stiffly::test {

struct RawReply {
  int status = 0;  ///< 0: no connection, or it was closed without an answer
  std::string head, body;
};

inline bool connects(const char* address, int port, int& socket_out) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address, &to.sin_addr);
  timeval limit{20, 0};
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  socket_out = s;
  return connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
}

/// Sends the bytes and reads until the server closes the connection. `all_said`: the server is told that
/// nothing more will come, so that it does not wait for the rest of what is no request.
inline RawReply send_raw(int port, const std::string& bytes, bool all_said = false) {
  RawReply out;
  int s = -1;
  std::string all;
  if (connects("127.0.0.1", port, s)) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t n = send(s, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    if (all_said) shutdown(s, SHUT_WR);
    char buffer[4096];
    for (ssize_t n; (n = recv(s, buffer, sizeof buffer, 0)) > 0;)
      all.append(buffer, static_cast<std::size_t>(n));
  }
  close(s);
  if (all.size() < 12) return out;
  out.status = std::stoi(all.substr(9, 3));
  const std::size_t end = all.find("\r\n\r\n");
  out.head = all.substr(0, end);
  if (end != std::string::npos) out.body = all.substr(end + 4);
  return out;
}

/// A request that a browser on this machine would make, with more headers.
inline RawReply ask(int port, const std::string& method, const std::string& path,
                    const std::string& headers = "", const std::string& body = "") {
  return send_raw(port, method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                            "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
                            "\r\n" + headers + "\r\n" + body);
}

}  // namespace stiffly::test
