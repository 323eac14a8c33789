// Who is answered, and who is not.
#include "stiffly/view/server.hpp"

#include <gtest/gtest.h>
#include <ifaddrs.h>

#include <atomic>

#include "stiffly/error.hpp"
#include "view/raw_client.hpp"

namespace stiffly::view {
namespace {

using test::ask;
using test::RawReply;
using test::send_raw;

constexpr std::size_t limit = 1000;

class ServerTest : public testing::Test {
 protected:
  std::atomic<int> calls = 0;
  Server server{[this](const Request& request) -> Reply {
                  ++calls;
                  if (request.path == "wrong") throw InputError("that is wrong");
                  if (request.path == "gone") throw FileError("that is gone");
                  return {request.method + " " + request.path + " " + request.body, "text/plain"};
                },
                limit};
  int port = server.port();
  std::string root = "/" + server.token() + "/";
};

TEST_F(ServerTest, AnswersItsUser) {
  const RawReply reply = ask(port, "GET", root + "api/runs");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "GET api/runs ");
  EXPECT_EQ(ask(port, "POST", root + "api/live", "", "hello").body, "POST api/live hello");
  const std::string own = "Origin: http://127.0.0.1:" + std::to_string(port) + "\r\n";
  EXPECT_EQ(ask(port, "POST", root + "api/live", own, "hello").status, 200);
  EXPECT_EQ(server.url(), "http://127.0.0.1:" + std::to_string(port) + root);
  EXPECT_EQ(ask(port, "GET", root + "wrong").status, 400);
  EXPECT_EQ(ask(port, "GET", root + "gone").status, 503);
}

TEST_F(ServerTest, TellsBrowsersToBeCareful) {
  const std::string head = ask(port, "GET", root).head;
  for (const char* header : {"Content-Security-Policy: default-src 'self'", "Referrer-Policy: no-referrer",
                             "X-Content-Type-Options: nosniff", "Cache-Control: no-store"})
    EXPECT_NE(head.find(header), std::string::npos) << header << "\n" << head;
  EXPECT_EQ(head.find("Access-Control-Allow-Origin"), std::string::npos);
}

// Packing the page's script once took longer than all else up to its first picture.
TEST_F(ServerTest, RepliesComeAsTheyAre) {
  const RawReply reply =
      ask(port, "GET", root + std::string(500, 'a'), "Accept-Encoding: gzip, deflate, br\r\n");
  EXPECT_EQ(reply.body, "GET " + std::string(500, 'a') + " ");
  EXPECT_EQ(reply.head.find("Content-Encoding"), std::string::npos) << reply.head;
  EXPECT_NE(reply.head.find("Content-Length: 505"), std::string::npos) << reply.head;
}

TEST_F(ServerTest, WantsTheToken) {
  std::string other = server.token();
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_EQ(server.token().size(), 32u);
  for (const std::string& path : std::initializer_list<std::string>{
           "/", "/api/runs", "/" + other + "/api/runs", "/" + server.token(),
           root.substr(0, 20) + "/api/runs", "//" + server.token() + "/api/runs", "/x/.." + root + "api/runs",
           "/?" + server.token()})
    for (const char* method : {"GET", "POST", "PUT", "DELETE", "OPTIONS"})
      EXPECT_EQ(ask(port, method, path).status, 403) << method << " " << path;
  EXPECT_EQ(calls, 0);
  const Server another([](const Request&) { return Reply{}; }, limit);
  EXPECT_NE(another.token(), server.token());
}

TEST_F(ServerTest, KnowsOnlyGetAndPost) {
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS"})
    EXPECT_GE(ask(port, method, root).status, 400);
  EXPECT_EQ(calls, 0);
}

// As a page elsewhere would ask for it, with the browser's word for where it comes from.
TEST_F(ServerTest, RefusesForeignPages) {
  for (const std::string& origin :
       {std::string("http://example.org"), std::string("null"), "https://127.0.0.1:" + std::to_string(port),
        std::string("http://127.0.0.1"), "http://127.0.0.1:" + std::to_string(port + 1),
        "http://127.0.0.1:" + std::to_string(port) + ".example.org"})
    for (const char* method : {"GET", "POST"})
      EXPECT_EQ(ask(port, method, root + "api/live", "Origin: " + origin + "\r\n").status, 403) << origin;
  EXPECT_EQ(calls, 0);
}

// A name of somebody else that leads to this machine.
TEST_F(ServerTest, RefusesForeignNames) {
  const auto under = [&](const std::string& host) {
    return send_raw(port, "GET " + root + " HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n").status;
  };
  const std::string number = std::to_string(port);
  EXPECT_EQ(under("Host: localhost:" + number + "\r\n"), 200);
  EXPECT_EQ(under("Host: example.org:" + number + "\r\n"), 403);
  EXPECT_EQ(under("Host: example.org\r\n"), 403);
  EXPECT_EQ(under("Host: 127.0.0.1\r\n"), 403);
  EXPECT_EQ(under(""), 403);
  EXPECT_EQ(under("Host: 127.0.0.1:" + number + "\r\nHost: example.org\r\n"), 403);
}

TEST_F(ServerTest, RefusesLargeMessages) {
  EXPECT_EQ(ask(port, "POST", root + "api/live", "", std::string(limit, 'a')).status, 200);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(ask(port, "POST", root + "api/live", "", std::string(limit + 1, 'a')).status, 413);
  // A length that was not said beforehand.
  const std::string chunk = "400\r\n" + std::string(1024, 'a') + "\r\n";
  const RawReply chunked = send_raw(
      port, "POST " + root + "api/live HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                "\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk + "0\r\n\r\n");
  EXPECT_EQ(chunked.status, 411);
  // A small message that would be unpacked to a large one, or is made of parts.
  for (const char* header : {"Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n",
                             "Content-Type: multipart/form-data; boundary=x\r\n", "Content-Length: 3\r\n"})
    EXPECT_EQ(ask(port, "POST", root + "api/live", header, "abc").status, 411) << header;
  for (const std::string& line :
       {"GET " + root + std::string(10000, 'a') + " HTTP/1.1\r\n",
        "GET " + root + " HTTP/1.1\r\nX-Long: " + std::string(100000, 'a') + "\r\n"})
    EXPECT_NE(send_raw(port, line + "Host: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n", true).status,
              200);
  EXPECT_EQ(calls, 1);
}

TEST_F(ServerTest, SurvivesWhatIsNoRequest) {
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(64, '\0') + "\r\n\r\n",
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("\x16\x03\x01\x02\r\n\r\n")})
    EXPECT_NE(send_raw(port, bytes, true).status, 200);
  EXPECT_EQ(ask(port, "GET", root).status, 200);
}

// There are no WebSockets here; who asks for one is held to the same rules, and gets none.
TEST_F(ServerTest, OpensNoSockets) {
  const std::string upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  EXPECT_EQ(ask(port, "GET", root + "api/live", upgrade + "Origin: http://example.org\r\n").status, 403);
  EXPECT_EQ(calls, 0);
  const std::string own = "Origin: http://127.0.0.1:" + std::to_string(port) + "\r\n";
  EXPECT_NE(ask(port, "GET", root + "api/live", upgrade + own).status, 101);
}

// More than a page has connections begin a request and say no more; another one gets its answer, before they
// are given up and after.
TEST_F(ServerTest, SlowClientsHoldUpNobody) {
  std::vector<int> slow(20, -1);
  for (int& s : slow) {
    ASSERT_TRUE(test::connects("127.0.0.1", port, s));
    const std::string half = "GET " + root + " HTTP/1.1\r\nHost: ";
    ASSERT_EQ(::send(s, half.data(), half.size(), 0), static_cast<ssize_t>(half.size()));
  }
  EXPECT_EQ(ask(port, "GET", root).status, 200);
  char byte = 0;
  for (const int s : slow) {
    while (recv(s, &byte, 1, 0) > 0) {
    }  // until the server closes
    close(s);
  }
  EXPECT_EQ(ask(port, "GET", root).status, 200);
  EXPECT_EQ(calls, 2);
}

// Every other address of this machine is tried.
TEST_F(ServerTest, ListensOnLoopbackOnly) {
  ifaddrs* all = nullptr;
  ASSERT_EQ(getifaddrs(&all), 0);
  int tried = 0;
  for (const ifaddrs* a = all; a; a = a->ifa_next) {
    if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET) continue;
    char address[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(a->ifa_addr)->sin_addr, address, sizeof address);
    int s = -1;
    const bool connected = test::connects(address, port, s);
    close(s);
    EXPECT_EQ(connected, std::string(address) == "127.0.0.1") << address;
    ++tried;
  }
  freeifaddrs(all);
  EXPECT_GE(tried, 1);
  int s = -1;
  EXPECT_FALSE(test::connects("127.0.0.2", port, s)) << "all of the loopback network instead of one address";
  close(s);
}

}  // namespace
}  // namespace stiffly::view
