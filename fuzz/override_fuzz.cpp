// KEY=VALUE from the command line, over a small scene.
#include "stiffly/scene/scene_file.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  static const std::string scene =
      "[simulation]\nduration = 1\n[[particle]]\nposition = [0, 0, 0]\nmass = 1\n[[spring]]\nends = [0, 1]\n"
      "stiffness = 1\n";
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return 0;
  const Override set{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
  return fuzz::tried([&] { read_scene_file({"/nowhere/input.toml", scene, {set}}); });
}
