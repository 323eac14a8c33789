// A surface as [[obstacle]] takes it: read, repaired, closed, and asked how far things are from it.
#include "stiffly/contact/closed_surface.hpp"
#include "stiffly/mesh/readers.hpp"
#include "stiffly/mesh/repair.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  return fuzz::tried([&] {
    mesh::Mesh surface = mesh::read_off(fuzz::text_of(data, size), "input.off");
    mesh::repair_surface(surface);
    const ClosedSurface shape(std::move(surface.points), std::move(surface.triangles));
    for (const Eigen::Vector3d& x : {Eigen::Vector3d(0.1, 0.2, 0.3), Eigen::Vector3d(-7, 1e3, 0.5)})
      for (const double reach : {0.07, std::numeric_limits<double>::infinity()}) shape.within(reach, x);
  });
}
