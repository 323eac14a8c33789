// Fibres as a user meets them: answers that theory knows, by methods of every kind, and input that is
// refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "apps/program.hpp"
#include "stiffly/files/csv.hpp"
#include "temporary_folder.hpp"

#ifdef STIFFLY_PROGRAM

namespace stiffly {
namespace {

using test::contents;
using test::Result;
using test::run;
using test::TemporaryFolder;

struct Material {
  double length, thickness, young, density;

  double weight() const { return density * thickness * thickness; }       ///< kg/m
  double bending() const { return young * std::pow(thickness, 4) / 12; }  ///< EI, N m²
  std::string keys() const {
    return fmt::format(
        "length = {0}\nthickness = {1}\ntip_thickness = {1}\nyoung = {2}\ntorsion = {3}\ndensity = {4}\n",
        length, thickness, young, young / 2.9, density);
  }
};

/// The middle of the last cross-section at the end of a run; everything else is a failure.
std::array<double, 3> tip(const std::string& scene, const std::string& method, double tolerance) {
  const TemporaryFolder folder;
  folder.write("scene.toml", scene);
  const Result result =
      run(folder,
          fmt::format("run scene.toml --integrator {} --tolerance {} --frames 0 -o out", method, tolerance));
  EXPECT_EQ(result.code, 0) << method << ": " << result.error;
  if (result.code != 0) return {NAN, NAN, NAN};
  std::vector<std::array<double, 3>> points;
  std::array<std::size_t, 3> columns = {};
  read_csv(
      contents(folder / "out/final.csv"), "final.csv",
      [&](std::span<const std::string> header, int) {
        for (std::size_t i = 0; i < header.size(); ++i)
          for (std::size_t d = 0; d < 3; ++d)
            if (header[i] == std::string(1, static_cast<char>('x' + d))) columns[d] = i;
      },
      [&](std::span<const std::string> cells, int) {
        points.push_back(
            {std::stod(cells[columns[0]]), std::stod(cells[columns[1]]), std::stod(cells[columns[2]])});
      });
  std::array<double, 3> out = {};
  for (std::size_t i = points.size() - 4; i < points.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) out[d] += points[i][d] / 4;
  return out;
}

class FibreAnswers : public testing::TestWithParam<std::string> {};
/// By methods that neither resolve nor damp vibrations of a million radians a second step by step.
class StiffFibreAnswers : public FibreAnswers {};

// Held at one end, a fibre sags by q L⁴/(8EI) under its weight q. Drag lets it come to rest there.
TEST_P(StiffFibreAnswers, ABeamSagsUnderItsWeight) {
  constexpr Material nylon{.length = 0.061, .thickness = 3.1e-4, .young = 2.7e9, .density = 1410};
  constexpr double g = 9.81;
  const double sag = nylon.weight() * g * std::pow(nylon.length, 4) / (8 * nylon.bending());
  const double first = 3.516 / (nylon.length * nylon.length) * std::sqrt(nylon.bending() / nylon.weight());
  const std::string scene = fmt::format(
      "[simulation]\nduration = {}\ngravity = [0, 0, {}]\n[[fibres]]\ndirection = [1, 0, 0]\nsegments = [13, "
      "13]\ndamping = 1e-4\ndrag = {}\n{}",
      17 / first, -g, 2 * first * nylon.weight(), nylon.keys());
  const auto end = tip(scene, GetParam(), 1e-3);
  EXPECT_NEAR(end[2] / -sag, 1, 0.03);
  EXPECT_NEAR(end[0], nylon.length, 0.01 * sag + sag * sag / nylon.length);
  EXPECT_NEAR(end[1], 0, 1e-3 * sag);
}

// Let go when it is straight, the same beam swings about that: the tip is at −g Σ φ_k(L) I_k/ω_k² (1 −
// e^{−δ_k t} (cos ω_k t + δ_k/ω_k sin ω_k t)), φ_k(L) = ±2, with the roots β_k of cos β cosh β = −1, ω_k =
// β_k²/L² √(EI/ρA) and I_k the mean of φ_k; dashpots of τ seconds damp by δ_k = τω_k²/2.
TEST_P(StiffFibreAnswers, ABeamSwingsAboutItsSag) {
  constexpr Material nylon{.length = 0.053, .thickness = 2.9e-4, .young = 3.1e9, .density = 1370};
  constexpr double g = 9.81, tau = 7e-5;
  constexpr double roots[] = {1.8751040687, 4.6940911330, 7.8547574382},
                   means[] = {0.7829918, 0.4339359, 0.2544252};
  const auto frequency = [&](double root) {
    return std::pow(root / nylon.length, 2) * std::sqrt(nylon.bending() / nylon.weight());
  };
  const double end_time = 1.47 * 2 * std::numbers::pi / frequency(roots[0]);
  double there = 0, most = 0;
  for (int k = 0; k < 3; ++k) {
    const double omega = frequency(roots[k]), delta = tau * omega * omega / 2;
    const double size = (k % 2 == 0 ? 2 : -2) * g * means[k] / (omega * omega);
    const double now = std::cos(omega * end_time) + delta / omega * std::sin(omega * end_time);
    there -= size * (1 - std::exp(-delta * end_time) * now);
    most += std::abs(size);
  }
  const std::string scene = fmt::format(
      "[simulation]\nduration = {}\ngravity = [0, 0, {}]\n[[fibres]]\ndirection = [1, 0, 0]\nsegments = [13, "
      "13]\ndamping = {}\n{}",
      end_time, -g, tau, nylon.keys());
  const auto end = tip(scene, GetParam(), 1e-3);
  EXPECT_NEAR(end[2], there, 0.05 * most);
  EXPECT_LT(there, -1.5 * most) << "far from where it started";
  EXPECT_NEAR(end[1], 0, 1e-3 * most);
}

// A thread that hangs becomes longer by ρgL²/(2E). Its root cannot become narrower: of eleven segments, the
// first gives less than its share by some tenths.
TEST_P(FibreAnswers, AThreadIsStretchedByItsWeight) {
  constexpr Material rubber{.length = 0.31, .thickness = 1.7e-3, .young = 1.9e7, .density = 930};
  constexpr double g = 9.81;
  const double stretch = rubber.density * g * rubber.length * rubber.length / (2 * rubber.young);
  const std::string scene = fmt::format(
      "[simulation]\nduration = 0.037\ngravity = [0, 0, {}]\n[[fibres]]\ndirection = [0, 0, -1]\nsegments = "
      "[11, "
      "11]\ndamping = 8e-4\n{}",
      -g, rubber.keys());
  const auto end = tip(scene, GetParam(), 1e-3);
  EXPECT_NEAR(-end[2] - rubber.length, stretch, 0.08 * stretch);
  EXPECT_NEAR(std::hypot(end[0], end[1]), 0, 0.01 * stretch);
}

const auto name_of_method = [](const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
};
INSTANTIATE_TEST_SUITE_P(Methods, StiffFibreAnswers,
                         testing::Values("auto", "energy-momentum", "newmark", "tr-bdf2", "bdf2", "ros3pl"),
                         name_of_method);
INSTANTIATE_TEST_SUITE_P(Methods, FibreAnswers,
                         testing::Values("auto", "energy-momentum", "sdirk-nc34", "ros3pl", "exprb42",
                                         "dopri5"),
                         name_of_method);

// All that a fibre can be wrong in: the message has its number, nothing is computed, and the exit code is 2.
TEST(FibresCommand, BadFibresAreRefusedByTheirNumber) {
  const std::string header = "fibre,x,y,z,thickness\n";
  const std::string good = "0,0,0,0,1e-4\n0,0,0,-0.13,1e-4\n1,0.03,0,0,1e-4\n1,0.03,0,-0.13,1e-4\n";
  struct Case {
    const char *lines, *keys, *message;
  };
  for (const auto& [lines, keys, message] : {
           Case{"2,1,0,0,1e-4\n", "", "fibre 2: 1 point"},
           Case{"2,1,0,0,1e-4\n2,1,0,0,1e-4\n", "", "fibre 2: its length is zero"},
           Case{"2,1,0,0,1e-4\n2,1,0,1,0\n", "", "fibre 2: "},
           Case{"2,1,0,0,-3e-5\n2,1,0,1,1e-4\n", "", "fibre 2: "},
           Case{"2,1,0,0,nan\n2,1,0,1,1e-4\n", "", "fibre 2: "},
           Case{"2,1,0,nan,1e-4\n2,1,0,1,1e-4\n", "", "fibre 2: point 0 is not finite"},
           Case{"2,1,0,0,1e-4\n2,1,inf,1,1e-4\n", "", "fibre 2: point 1 is not finite"},
           Case{"2,0.03001,0,0,1e-4\n2,1,0,1,1e-4\n", "", "fibre 2: its root is inside that of fibre 1"},
           Case{"", "torsion = 6.1e9\n", "fibre 0: with a torsion modulus"},
           Case{"2,1,0,0,1e-4\n2,1,0,0.01,1e-4\n2,1,0,0,1e-4\n", "", "fibre 2: "},
       }) {
    const TemporaryFolder folder;
    folder.write("strands.csv", header + good + lines);
    folder.write("scene.toml",
                 std::string("[simulation]\nduration = 1\n[[fibres]]\nfile = \"strands.csv\"\n") + keys);
    const Result result = run(folder, "run scene.toml -o out");
    EXPECT_EQ(result.code, 2) << lines << result.error;
    EXPECT_NE(result.error.find(message), std::string::npos) << result.error;
    EXPECT_NE(result.error.find("scene.toml"), std::string::npos) << result.error;
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << lines;
  }
  for (const char* keys :
       {"thickness = 0", "thickness = -1e-4", "thickness = nan", "young = 0", "young = -1e9", "torsion = 0",
        "density = -1", "length = 0", "segments = [0, 3]", "damping = nan"}) {
    const TemporaryFolder folder;
    folder.write("scene.toml", std::string("[simulation]\nduration = 1\n[[fibres]]\n") + keys + "\n");
    const Result result = run(folder, "run scene.toml");
    EXPECT_EQ(result.code, 2) << keys << result.error;
    const std::string key(keys, std::string_view(keys).find(' '));
    EXPECT_NE(result.error.find("'" + key + "'"), std::string::npos) << result.error;
  }
}

}  // namespace
}  // namespace stiffly

#endif
