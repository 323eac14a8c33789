// The pages and data that the viewer in the browser asks for.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "stiffly/view/run_source.hpp"
#include "stiffly/view/server.hpp"

namespace stiffly::view {

/// Of requests by a viewer: what it sends are a few numbers.
inline constexpr std::size_t largest_view_message = 1u << 16;

/// Takes what a page posts to api/NAME.
using Post = std::function<Reply(const Request&)>;

/// GET   (nothing)                                    the page; its other files by their names
///       api/runs                                     RunSource::describe of each
///       api/runs/K/topology, times?first=I, energy, counters,
///         frames?first=I&count=N&every=M&points=P
/// POST  api/NAME                                     what was added under that name
/// Nothing else. All files of the page are in memory, and no path is ever made from a request.
class Site {
 public:
  /// Reads the page from its folder. Throws FileError where it has none.
  Site(const std::filesystem::path& page, std::vector<std::shared_ptr<RunSource>> runs);

  void on_post(std::string name, Post post) { posts_[std::move(name)] = std::move(post); }
  void on_get(std::string name, Post get) { gets_[std::move(name)] = std::move(get); }
  Reply answer(const Request& request) const;

 private:
  Reply of_run(RunSource& run, const std::string& what, const Request& request) const;

  std::map<std::string, Reply> files_;
  std::map<std::string, Post> posts_, gets_;
  std::vector<std::shared_ptr<RunSource>> runs_;
};

/// The folder of the page: that of an installation beside the program, else that of this build.
std::filesystem::path page_folder(const std::filesystem::path& program);

}  // namespace stiffly::view
