// What a page gets of a run's folder: what is there, in the right numbers, and nothing else.
#include "stiffly/view/site.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "stiffly/error.hpp"
#include "stiffly/results/frame_reader.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/view/folder_source.hpp"
#include "stiffly/view/packing.hpp"
#include "temporary_folder.hpp"

namespace stiffly::view {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::TemporaryFolder;

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

template <class T>
std::vector<T> numbers(const std::string& bytes, std::size_t begin = 0, std::size_t count = SIZE_MAX) {
  std::vector<T> out(std::min(count, (bytes.size() - begin) / sizeof(T)));
  if (!out.empty()) std::memcpy(out.data(), bytes.data() + begin, out.size() * sizeof(T));
  return out;
}

/// The arrays of a topology, by name, as numbers.
std::map<std::string, std::vector<double>> arrays(const std::string& bytes) {
  const std::uint32_t length = numbers<std::uint32_t>(bytes, 0, 1)[0];
  EXPECT_EQ((4 + length) % 8, 0u);
  std::size_t at = 4 + length;
  std::map<std::string, std::vector<double>> out;
  for (const json& entry : json::parse(bytes.substr(4, length))) {
    const auto count = entry["count"].get<std::size_t>();
    std::vector<double>& to = out[entry["name"]];
    if (entry["type"] == "i32") {
      for (const int value : numbers<int>(bytes, at, count)) to.push_back(value);
    } else {
      for (const float value : numbers<float>(bytes, at, count)) to.push_back(value);
    }
    at += 4 * count;
  }
  EXPECT_EQ(at, bytes.size());
  return out;
}

class SiteTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  fs::path page = folder / "page", run = folder / "run";

  void SetUp() override {
    put(page / "index.html", "<p>the page");
    put(page / "assets" / "index.js", "script");
    put(folder / "secret.txt", "secret");
    put(run / "notes.txt", "secret");
  }
  void simulate(std::initializer_list<Override> more = {}) {
    std::vector<Override> overrides = {{"simulation.duration", "0.37", ""},
                                       {"simulation.frames", "30", ""},
                                       {"simulation.step", "0.013", ""},
                                       {"simulation.integrator", "newmark", ""}};
    overrides.insert(overrides.end(), more);
    SceneRun(load_scene(find_scene("chain"), overrides), {.folder = run}).simulate();
  }
  Site site() { return Site(page, {std::make_shared<FolderSource>(run)}); }
  static Reply get(const Site& site, const std::string& path, std::map<std::string, std::string> query = {}) {
    return site.answer({"GET", path, std::move(query), ""});
  }
};

TEST_F(SiteTest, ServesThePage) {
  const Site s = site();
  EXPECT_EQ(get(s, "").body, "<p>the page");
  EXPECT_EQ(get(s, "assets/index.js").body, "script");
  EXPECT_EQ(get(s, "assets/index.js").type, "text/javascript; charset=utf-8");
  EXPECT_THROW(Site(folder / "nowhere", {}), FileError);
}

TEST_F(SiteTest, ServesNothingElse) {
  simulate();
  const Site s = site();
  for (const char* path : {"../secret.txt",
                           "assets/../../secret.txt",
                           "/etc/passwd",
                           "run/notes.txt",
                           "api",
                           "api/",
                           "api/runs/",
                           "api/runs/0",
                           "api/runs/0/",
                           "api/runs/1/topology",
                           "api/runs/-1/topology",
                           "api/runs/00/topology",
                           "api/runs/0/../../run.json",
                           "api/runs/0/run.json",
                           "api/runs/0/notes.txt",
                           "api/runs/0/checkpoint.h5",
                           "api/runs/0/topology/..",
                           "index.html/",
                           "%2e%2e/secret.txt",
                           "assets",
                           "api/live"}) {
    EXPECT_EQ(get(s, path).status, 404) << path;
    EXPECT_EQ(get(s, path).body.find("secret"), std::string::npos) << path;
  }
  EXPECT_EQ(s.answer({"POST", "api/runs", {}, ""}).status, 404);
  EXPECT_EQ(s.answer({"POST", "", {}, ""}).status, 404);
  for (const char* number : {"-1", "x", "1e9", "99999999999999999999", ""})
    EXPECT_THROW(get(s, "api/runs/0/frames", {{"first", number}}), InputError) << number;
  EXPECT_THROW(get(s, "api/runs/0/frames", {{"first", "100000"}}), InputError);
}

// Against the file as another reader sees it, point by point as the topology numbers them.
TEST_F(SiteTest, FramesAreThoseOfTheFile) {
  simulate();
  const Site s = site();
  const json info = json::parse(get(s, "api/runs").body)[0];
  const FrameReader file(run / "frames.h5");
  ASSERT_EQ(info["state"], "done");
  ASSERT_EQ(info["frames"], file.frames());
  ASSERT_EQ(info["rows"], file.particles());
  EXPECT_EQ(file.frames(), 12u);  // at 0, 1/30, …, 11/30 s
  EXPECT_EQ(numbers<double>(get(s, "api/runs/0/times").body), file.times());
  EXPECT_EQ(numbers<double>(get(s, "api/runs/0/times", {{"first", "11"}}).body).size(), 1u);
  EXPECT_EQ(get(s, "api/runs/0/times", {{"first", "99"}}).body, "");
  const std::vector<float> got =
      numbers<float>(get(s, "api/runs/0/frames", {{"first", "7"}, {"count", "99"}}).body);
  const std::size_t n = file.particles();
  ASSERT_EQ(got.size(), 5 * 4 * n);
  const std::vector<double> point = arrays(get(s, "api/runs/0/topology").body).at("numbers");
  ASSERT_EQ(std::set<double>(point.begin(), point.end()).size(), n);
  double fastest = 0;
  for (std::size_t frame = 0; frame < 5; ++frame) {
    const std::vector<double> x = file.positions(7 + frame), v = file.velocities(7 + frame);
    for (std::size_t place = 0; place < n; ++place) {
      const auto i = static_cast<std::size_t>(point[place]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_EQ(got[frame * 4 * n + 3 * place + axis], static_cast<float>(x[3 * i + axis]));
      const double speed =
          std::sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
      EXPECT_FLOAT_EQ(got[frame * 4 * n + 3 * n + place], static_cast<float>(speed));
      fastest = std::max(fastest, speed);
    }
  }
  EXPECT_GT(fastest, 0.1);
}

TEST_F(SiteTest, TopologyHasTheSpringsOfTheScene) {
  simulate({{"model.stiffness", "34567.8", ""}});
  const auto got = arrays(get(site(), "api/runs/0/topology").body);
  const Scene scene = load_scene(find_scene("chain"), {});
  ASSERT_EQ(got.at("springs").size(), 2 * scene.body.springs.size());
  ASSERT_EQ(got.at("stiffness").size(), scene.body.springs.size());
  ASSERT_EQ(got.at("mass").size(), FrameReader(run / "frames.h5").particles());
  std::vector<std::pair<int, int>> springs, expected = scene.body.springs;
  const auto number = [&](double place) {
    return static_cast<int>(got.at("numbers").at(static_cast<std::size_t>(place)));
  };
  for (std::size_t i = 0; i < scene.body.springs.size(); ++i)
    springs.emplace_back(number(got.at("springs")[2 * i]), number(got.at("springs")[2 * i + 1]));
  std::ranges::sort(springs), std::ranges::sort(expected);
  EXPECT_EQ(springs, expected);
  EXPECT_FLOAT_EQ(static_cast<float>(got.at("stiffness")[0]), 34567.8f);
  EXPECT_GT(got.at("rest_length")[0], 0);
  for (const double mass : got.at("mass")) EXPECT_GT(mass, 0);
}

TEST_F(SiteTest, RepliesAreBounded) {
  const std::size_t many = 3'000'000;
  const auto at_once = [](FrameRange asked, std::size_t bytes) {
    return frames_at_once(asked, bytes, 1u << 30).size();
  };
  EXPECT_EQ(at_once({.count = 1000}, frame_bytes(100, {false, 0})), 1000u);
  EXPECT_EQ(at_once({.count = 1000}, frame_bytes(many, {true, 2})), 1u);
  EXPECT_LE(at_once({.count = 1u << 30}, frame_bytes(7, {true, 1})) * frame_bytes(7, {true, 1}), most_bytes);
  using Numbers = std::vector<std::size_t>;
  EXPECT_EQ(frames_at_once({.first = 2, .count = 9, .every = 4}, 1, 15), (Numbers{2, 6, 10, 14}));
  EXPECT_EQ(frames_at_once({.first = 2, .count = 2, .every = 4}, 1, 15), (Numbers{2, 6}));
  EXPECT_EQ(frames_at_once({.first = 2, .count = 9, .every = SIZE_MAX}, 1, 15), (Numbers{2}));
  EXPECT_EQ(frames_at_once({.first = 2, .count = 0, .every = 0}, 1, 15), (Numbers{2}));
  EXPECT_THROW(frames_at_once({.first = 15}, 1, 15), InputError);
  std::string table = "t,a\n";
  for (int i = 0; i < 123457; ++i) table += std::to_string(i) + ",1\n";
  const std::string thin = thin_table(table);
  EXPECT_LE(std::count(thin.begin(), thin.end(), '\n'), static_cast<long>(most_rows) + 2);
  EXPECT_TRUE(thin.starts_with("t,a\n0,1\n"));
  EXPECT_TRUE(thin.ends_with("123456,1\n"));
  EXPECT_EQ(thin_table("t,a\n1,2\n"), "t,a\n1,2\n");
}

// 101 fibres of 3 to 7 points between and behind particles of other kinds: a page that asks for some of them
// gets whole fibres from everywhere, and all that is no fibre.
TEST_F(SiteTest, FibresComeSpreadOverAll) {
  Topology shape{.springs = {{0, 1}}};
  std::vector<Point> x(2), v(2);
  int next = 2;
  for (int k = 0; k < 101; ++k) {
    shape.strands.emplace_back(next, 3 + k % 5);
    next += 3 + k % 5;
  }
  const auto points = static_cast<std::size_t>(next) + 1;  // one particle behind them all
  x.resize(points), v.resize(points);
  for (std::size_t i = 0; i < points; ++i) x[i] = {static_cast<double>(i), 0.25, 0}, v[i] = {0, 0, 0.5};
  shape.triangles = {{0, 1, next}};
  shape.particle.assign(points, 0);
  shape.contact = true;
  FrameFile file(run / "frames.h5", points, shape);
  std::vector<double> contact(points);
  for (std::size_t i = 0; i < points; ++i) contact[i] = 2.0 * static_cast<double>(i);
  file.add({0.1, x, v, contact});
  file.flush();
  const Site s = site();
  const auto got = arrays(get(s, "api/runs/0/topology").body);
  const std::vector<float> whole = numbers<float>(get(s, "api/runs/0/frames").body);
  ASSERT_EQ(whole.size(), 5 * points);
  const auto point_at = [&](double place) {
    const auto k = static_cast<std::size_t>(place);
    EXPECT_EQ(whole[3 * points + k], 0.5f);
    EXPECT_EQ(whole[4 * points + k], 2 * whole[3 * k]) << "contact goes with its point";
    return whole[3 * k];
  };
  EXPECT_EQ(point_at(got.at("triangles")[2]), static_cast<float>(next));
  std::set<float> seen;
  const std::vector<double>& strands = got.at("strands");
  ASSERT_EQ(strands.size(), 2u * 101);
  double end = 3;
  for (std::size_t k = 0; k < 101; ++k) {
    EXPECT_EQ(strands[2 * k], end);
    end += strands[2 * k + 1];
    for (double i = 0; i + 1 < strands[2 * k + 1]; ++i)
      EXPECT_EQ(point_at(strands[2 * k] + i) + 1, point_at(strands[2 * k] + i + 1));
    seen.insert(point_at(strands[2 * k]));
  }
  EXPECT_EQ(seen.size(), 101u);
  EXPECT_EQ(end, static_cast<double>(points));
  // Of the first ten, no two are neighbours, and gaps are about even.
  std::set<float> first;
  for (std::size_t k = 0; k < 10; ++k) first.insert(point_at(strands[2 * k]));
  for (auto i = std::next(first.begin()); i != first.end(); ++i) EXPECT_GT(*i - *std::prev(i), 101 * 5 / 30);
  EXPECT_LT(*first.begin(), 101 * 5 / 5);
  EXPECT_GT(*first.rbegin(), 101 * 5 * 4 / 5);
  // The beginning of a frame.
  const std::vector<float> part = numbers<float>(get(s, "api/runs/0/frames", {{"points", "17"}}).body);
  ASSERT_EQ(part.size(), 5u * 17);
  for (std::size_t i = 0; i < 51; ++i) EXPECT_EQ(part[i], whole[i]);
  for (std::size_t i = 0; i < 17; ++i) EXPECT_EQ(part[68 + i], whole[4 * points + i]);
  const std::string bytes = get(s, "api/runs/0/frames").body;
  EXPECT_EQ(first_points(bytes, points, 17, true), get(s, "api/runs/0/frames", {{"points", "17"}}).body);
}

// Behind the poses, whole also where a page asks for some of the points only.
TEST_F(SiteTest, TimesOfContactComeWithEveryFrame) {
  Topology shape{.obstacles = {{.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {{0, 1, 2}}}},
                 .contact_time = true};
  FrameFile file(run / "frames.h5", 5, shape);
  const std::vector<Point> x(5);
  for (const float k : {0.0f, 1.0f, 2.0f})
    file.add({.time = k, .positions = x, .velocities = x, .poses = {{}}, .contact_time = {0, 0.25 * k, 7}});
  file.flush();
  const Site s = site();
  EXPECT_EQ(nlohmann::json::parse(get(s, "api/runs").body).at(0).at("contact_time_points"), 3);
  get(s, "api/runs/0/topology");
  for (const std::size_t points : {5u, 2u}) {
    const std::vector<float> got = numbers<float>(
        get(s, "api/runs/0/frames", {{"count", "3"}, {"points", std::to_string(points)}}).body);
    const std::size_t each = 4 * points + 12 + 3;
    ASSERT_EQ(got.size(), 3 * each);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(std::vector(got.begin() + static_cast<long>((k + 1) * each - 3),
                            got.begin() + static_cast<long>((k + 1) * each)),
                (std::vector<float>{0, 0.25f * static_cast<float>(k), 7}));
  }
}

// A sheet of 120 × 130 points with 99 more below it on springs: a page that asks for the first points gets
// all of a coarser sheet, and a page that asks for the first springs gets their ends first.
TEST_F(SiteTest, SurfacesComeFromCoarseToFine) {
  Topology shape;
  constexpr int width = 120, height = 130, more = 99, all = width * height + more;
  for (int i = 0; i + 1 < width; ++i)
    for (int j = 0; j + 1 < height; ++j) {
      const int a = more + i * height + j;
      shape.triangles.push_back({a, a + 1, a + height});
      shape.triangles.push_back({a + 1, a + 1 + height, a + height});
    }
  for (int i = 0; i < more; ++i) {
    shape.springs.emplace_back(i, (i + 1) % more);
    shape.materials.push_back({1.0 + i, 1, 0, SpringLaw::linear});
  }
  const std::vector<Point> x(all);
  FrameFile file(run / "frames.h5", all, shape);
  file.add({0.1, x, x});
  file.flush();
  const auto got = arrays(get(site(), "api/runs/0/topology").body);
  const std::vector<double>&surfaces = got.at("coarse_surfaces"), &triangles = got.at("coarse_triangles");
  ASSERT_GE(surfaces.size(), 2u);
  double finer = width * height;
  std::size_t at = 0;
  for (std::size_t k = 0; k < surfaces.size(); k += 2) {
    EXPECT_LT(surfaces[k], finer / 2) << "of the points";
    EXPECT_GT(surfaces[k], finer / 8);
    finer = surfaces[k];
    for (std::size_t end = at + 3 * static_cast<std::size_t>(surfaces[k + 1]); at < end; ++at)
      ASSERT_LT(triangles.at(at), surfaces[k]) << "is among the first points";
  }
  EXPECT_EQ(at, triangles.size());
  double first = width * height;  // points of the sheet come before those of springs
  for (const double corner : got.at("triangles")) ASSERT_LT(corner, first);
  for (std::size_t k = 0; k < more; ++k) {
    const double a = got.at("springs")[2 * k], b = got.at("springs")[2 * k + 1];
    EXPECT_LT(std::max(a, b), width * height + 2.0 * static_cast<double>(k + 1)) << "ends come first";
    const double lower = got.at("numbers").at(static_cast<std::size_t>(a));
    EXPECT_EQ(got.at("stiffness")[k], 1 + lower) << "materials go with their springs";
  }
}

TEST_F(SiteTest, StatesAreHonest) {
  const auto state = [&] { return json::parse(get(site(), "api/runs").body)[0]; };
  EXPECT_EQ(state()["state"], "empty");
  simulate();
  EXPECT_EQ(state()["state"], "done");
  EXPECT_FALSE(state().contains("message"));
  EXPECT_NE(get(site(), "api/runs/0/energy").body.find("kinetic"), std::string::npos);
  fs::rename(run / "run.json", folder / "kept.json");
  EXPECT_EQ(state()["state"], "unfinished");
  EXPECT_EQ(state()["frames"], 12);
  put(run / "run.json", "{ no json");
  EXPECT_EQ(state()["state"], "broken");
  fs::rename(folder / "kept.json", run / "run.json");
  fs::resize_file(run / "frames.h5", fs::file_size(run / "frames.h5") / 2);
  EXPECT_EQ(state()["state"], "broken");
  EXPECT_NE(state()["message"].get<std::string>().find("frames.h5"), std::string::npos);
  fs::remove(run / "frames.h5");
  EXPECT_EQ(state()["state"], "done");
  EXPECT_EQ(state()["frames"], 0);
  EXPECT_NE(state()["message"].get<std::string>().find("no frames"), std::string::npos);
  EXPECT_THROW(FolderSource(folder / "nowhere"), FileError);
}

TEST_F(SiteTest, ARunThatFailedSaysSo) {
  simulate({{"simulation.integrator", "rk4", ""}});
  const json info = json::parse(get(site(), "api/runs").body)[0];
  EXPECT_EQ(info["state"], "failed");
  EXPECT_NE(info["message"].get<std::string>().find("blew up"), std::string::npos);
}

// Corners that are no particles would be read past the end of arrays.
TEST_F(SiteTest, RefusesTopologyThatIsNot) {
  FrameFile(run / "frames.h5", 3, {{{0, 1, 3}}, {}, {}});
  EXPECT_THROW(get(site(), "api/runs/0/topology"), InputError);
  FrameFile(run / "frames.h5", 3, {{}, {}, {{-1, 2}}});
  EXPECT_THROW(get(site(), "api/runs/0/topology"), InputError);
  FrameFile(run / "frames.h5", 3, {{}, {}, {{1, 2}}});
  EXPECT_NO_THROW(get(site(), "api/runs/0/topology"));
}

}  // namespace
}  // namespace stiffly::view
