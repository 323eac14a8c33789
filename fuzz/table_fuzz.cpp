// A CSV file of particles, and the same as one of springs.
#include "stiffly/scene/specification.hpp"
#include "stiffly/scene/table_file.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  static const fuzz::InputFile file(".csv");
  const std::filesystem::path& path = file.with(fuzz::text_of(data, size));
  for (const Section* section : {&particle_section(), &spring_section()})
    fuzz::tried([&] { read_table_file(path, *section, Origin("scene.toml")); });
  return 0;
}
