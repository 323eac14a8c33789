// A scene's text, up to where bodies are built: TOML, keys, values, sizes.
#include "stiffly/scene/scene_file.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  return fuzz::tried([&] {
    list_keys(read_scene_file({"/nowhere/input.toml", std::string(fuzz::text_of(data, size)), {}}));
  });
}
