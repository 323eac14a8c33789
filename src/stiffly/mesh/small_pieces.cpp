#include "stiffly/mesh/small_pieces.hpp"

#include <algorithm>
#include <numeric>

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
  std::vector<std::size_t> root(mesh.tetrahedra.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t t) {
    while (root[t] != t) t = root[t] = root[root[t]];
    return t;
  };
  for (std::size_t i = 1; i < faces.size(); ++i)
    if (faces[i].first == faces[i - 1].first) root[find(faces[i].second)] = find(faces[i - 1].second);
  std::vector<std::size_t> size(root.size(), 0);
  for (std::size_t t = 0; t < root.size(); ++t) ++size[find(t)];
  std::vector<std::size_t> user(mesh.points.size(), root.size());  // a piece that uses the point
  std::vector<double> least(root.size(), loose);
  for (std::size_t t = 0; t < root.size(); ++t)
    for (const int corner : mesh.tetrahedra[t]) {
      std::size_t& one = user[static_cast<std::size_t>(corner)];
      const std::size_t other = find(t);
      if (one == root.size()) one = other;
      if (one != other) least[size[one] < size[other] ? one : other] = hinged;
    }
  const auto smaller_than = [&](std::size_t t, double share) {
    return static_cast<double>(size[find(t)]) < share * static_cast<double>(root.size());
  };
  SmallPieces dropped;
  std::vector<Tetrahedron> kept;
  for (std::size_t t = 0; t < root.size(); ++t) {
    const bool too_small = smaller_than(t, least[find(t)]);
    if (!too_small) kept.push_back(mesh.tetrahedra[t]);
    (too_small ? dropped.all : dropped.kept) += root[t] == t;
    dropped.hinged += root[t] == t && too_small && !smaller_than(t, loose);
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
