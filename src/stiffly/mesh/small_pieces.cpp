#include "stiffly/mesh/small_pieces.hpp"

#include <algorithm>

#include "stiffly/disjoint_sets.hpp"
#include "stiffly/mesh/tetrahedra.hpp"

namespace stiffly::mesh {

SmallPieces drop_small_pieces(Mesh& mesh, double loose, double hinged) {
  std::vector<std::pair<Triangle, std::size_t>> faces;
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t)
    for (std::size_t skip = 0; skip < 4; ++skip) {
      Triangle face;
      for (std::size_t i = 0, k = 0; i < 4; ++i)
        if (i != skip) face[k++] = mesh.tetrahedra[t][i];
      std::sort(face.begin(), face.end());
      faces.emplace_back(face, t);
    }
  std::sort(faces.begin(), faces.end());
  const std::size_t all = mesh.tetrahedra.size();
  DisjointSets pieces(all);
  for (std::size_t i = 1; i < faces.size(); ++i)
    if (faces[i].first == faces[i - 1].first) pieces.join(faces[i].second, faces[i - 1].second);
  std::vector<std::size_t> size(all, 0);
  for (std::size_t t = 0; t < all; ++t) ++size[pieces.find(t)];
  std::vector<std::size_t> user(mesh.points.size(), all);  // a piece that uses the point
  std::vector<double> least(all, loose);
  for (std::size_t t = 0; t < all; ++t)
    for (const int corner : mesh.tetrahedra[t]) {
      std::size_t& one = user[static_cast<std::size_t>(corner)];
      const std::size_t other = pieces.find(t);
      if (one == all) one = other;
      if (one != other) least[size[one] < size[other] ? one : other] = hinged;
    }
  const auto smaller_than = [&](std::size_t t, double share) {
    return static_cast<double>(size[pieces.find(t)]) < share * static_cast<double>(all);
  };
  SmallPieces dropped;
  std::vector<Tetrahedron> kept;
  for (std::size_t t = 0; t < all; ++t) {
    const bool too_small = smaller_than(t, least[pieces.find(t)]), counts = pieces.find(t) == t;
    if (!too_small) kept.push_back(mesh.tetrahedra[t]);
    (too_small ? dropped.all : dropped.kept) += counts;
    dropped.hinged += counts && too_small && !smaller_than(t, loose);
  }
  if (dropped.all == 0) return dropped;
  std::vector<int> number(mesh.points.size(), -1);
  std::vector<Eigen::Vector3d> points;
  for (Tetrahedron& t : kept)
    for (int& corner : t) {
      int& n = number[static_cast<std::size_t>(corner)];
      if (n < 0) {
        n = static_cast<int>(points.size());
        points.push_back(mesh.points[static_cast<std::size_t>(corner)]);
      }
      corner = n;
    }
  mesh.points = std::move(points);
  mesh.tetrahedra = std::move(kept);
  mesh.triangles = surface_of(mesh.tetrahedra);
  return dropped;
}

}  // namespace stiffly::mesh
