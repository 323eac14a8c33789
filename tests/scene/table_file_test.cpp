// Particles and springs from CSV files, right and wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stiffly/error.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::TemporaryFolder;

constexpr const char* scene_text = "particles = \"p.csv\"\nsprings = \"s.csv\"\n[simulation]\nduration = 1\n";
constexpr const char* particle_text = "x,y,z,mass,pinned,vx,vy,vz\n0,0,0,1,true,,,\n1,0,0,2,false,0.5,0,-1\n";
constexpr const char* spring_text = "first,second,stiffness\n0,1,1e3\n";

struct Tables {
  TemporaryFolder folder;
  std::filesystem::path path;
  explicit Tables(std::string_view particles = particle_text, std::string_view springs = spring_text,
                  std::string_view scene = scene_text) {
    path = folder.write("scene.toml", scene);
    folder.write("p.csv", particles);
    folder.write("s.csv", springs);
  }
};

TEST(TableFile, GivesWhatInlineTablesGive) {
  const Tables files;
  const Scene scene = load_scene(files.path);
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  EXPECT_EQ(system.particles(), 2u);
  EXPECT_EQ(system.free_particles(), 1u);
  EXPECT_EQ(scene.body.springs.size(), 1u);
  EXPECT_EQ(scene.positions(scene.body.start)[1], (Point{1, 0, 0}));
  EXPECT_EQ(scene.velocities(scene.body.start)[1], (Point{0.5, 0, -1}));
}

TEST(TableFile, VectorsMayStandInOneColumn) {
  const Tables files("position,mass\n0 0 0,1\n\"[1, 0, 0.5]\",1\n", "ends,stiffness\n0 1,10\n");
  const Scene scene = load_scene(files.path);
  EXPECT_EQ(scene.positions(scene.body.start)[1], (Point{1, 0, 0.5}));
}

TEST(TableFile, MayBeNamedInSimulation) {
  const Tables files(particle_text, spring_text,
                     "[simulation]\nduration = 1\nparticles = \"p.csv\"\nsprings = \"s.csv\"\n");
  EXPECT_EQ(load_scene(files.path).body.springs.size(), 1u);
}

TEST(TableFile, OneListInlineTheOtherFromAFile) {
  const Tables files(
      particle_text, "",
      "particles = \"p.csv\"\n[simulation]\nduration = 1\n[[spring]]\nends = [0, 1]\nstiffness = 5\n");
  EXPECT_EQ(load_scene(files.path).body.springs.size(), 1u);
}

TEST(TableFile, CommentsCarriageReturnsMarksAndRowNumbers) {
  const Tables files("\xEF\xBB\xBF# two particles\r\nparticle,x,y,z,mass\r\n0,0,0,0,1\r\n\r\n1, 1 ,+2e0,3,1",
                     spring_text);
  const Scene scene = load_scene(files.path);
  EXPECT_EQ(scene.positions(scene.body.start)[1], (Point{1, 2, 3}));
}

TEST(TableFile, OverridesReachIntoIt) {
  const Tables files;
  const Override changes[] = {{"spring.stiffness", "7"}, {"particle.1.mass", "3"}};
  const SceneFile file = read_scene_file(files.path, changes);
  EXPECT_EQ(file.springs[0].number("stiffness"), 7);
  EXPECT_EQ(file.particles[1].number("mass"), 3);
  EXPECT_EQ(file.particles[0].number("mass"), 1);
}

struct TableCase {
  const char* name;
  bool in_springs;
  const char* text;
  int line;
  const char* expected;
};

void PrintTo(const TableCase& c, std::ostream* out) { *out << c.name; }

class BrokenTable : public testing::TestWithParam<TableCase> {};

TEST_P(BrokenTable, IsNamed) {
  const TableCase& c = GetParam();
  const Tables files(c.in_springs ? particle_text : c.text, c.in_springs ? c.text : spring_text);
  const std::string name = (files.folder / (c.in_springs ? "s.csv" : "p.csv")).string();
  std::string message = "accepted";
  try {
    load_scene(files.path);
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_TRUE(message.starts_with(c.line ? fmt::format("{}:{}: ", name, c.line) : name + ": ")) << message;
  EXPECT_NE(message.find(c.expected), std::string::npos) << message;
}

const TableCase table_cases[] = {
    {"empty", false, "", 0, "its first line must name the columns"},
    {"comments_only", false, "# nothing\n\n", 0, "its first line must name the columns"},
    {"no_header", false, "0,0,0,1\n1,0,0,1\n", 1, "unknown column '0'"},
    {"misspelt_column", false, "x,y,z,mas\n0,0,0,1\n", 1,
     "unknown column 'mas' in a table of particles; did you mean 'mass'?"},
    {"column_twice", false, "x,y,z,mass,x\n0,0,0,1,0\n", 1, "column 'x' is given twice"},
    {"whole_and_component", false, "x,y,z,mass,position\n0,0,0,1,0\n", 1, "column 'position' is given twice"},
    {"component_missing", false, "x,y,mass\n0,0,1\n", 1, "needs the columns 'x', 'y', 'z'"},
    {"mass_missing", false, "x,y,z\n0,0,0\n", 1, "needs the column 'mass'"},
    {"velocity_incomplete", false, "x,y,z,mass,vx\n0,0,0,1,1\n", 1, "needs the columns 'vx', 'vy', 'vz'"},
    {"too_few_cells", false, "x,y,z,mass\n0,0,0,1\n1,0,0\n", 3, "3 cells, but the header names 4 columns"},
    {"too_many_cells", false, "x,y,z,mass\n0,0,0,1,\n", 2, "5 cells"},
    {"no_number", false, "x,y,z,mass\n0,0,0,1\n1,zero,0,1\n", 3,
     "'position' of a particle must be a number, not 'zero'"},
    {"half_a_number", false, "x,y,z,mass\n0,0,0,1kg\n", 2,
     "'mass' of a particle must be a number, not '1kg'"},
    {"nan", false, "x,y,z,mass\nnan,0,0,1\n", 2, "must be finite"},
    {"infinity", false, "x,y,z,mass\n0,0,inf,1\n", 2, "must be finite"},
    {"overflow", false, "x,y,z,mass\n1e999,0,0,1\n", 2, "must be a number"},
    {"zero_mass", false, "x,y,z,mass\n0,0,0,0\n", 2, "must be > 0 kg"},
    {"empty_mass", false, "x,y,z,mass\n0,0,0,\n", 2, "needs 'mass'"},
    {"partly_empty_position", false, "x,y,z,mass\n0,,0,1\n", 2, "must be a number, not ''"},
    {"pinned_maybe", false, "x,y,z,mass,pinned\n0,0,0,1,maybe\n", 2, "must be true or false, not 'maybe'"},
    {"wrong_row_number", false, "particle,x,y,z,mass\n0,0,0,0,1\n2,1,0,0,1\n", 3, "1 is due here, not '2'"},
    {"open_quote", false, "x,y,z,mass\n\"0,0,0,1\n", 2, "a quote does not end"},
    {"after_quote", false, "x,y,z,mass\n\"0\"1,0,0,1\n", 2, "after the closing quote"},
    {"two_components", false, "position,mass\n0 0,1\n", 2, "must be three numbers"},
    {"end_out_of_range", true, "first,second,stiffness\n0,2,1\n", 2, "ends at particle 2"},
    {"fractional_end", true, "first,second,stiffness\n0,0.5,1\n", 2, "must be a whole number, not '0.5'"},
    {"huge_end", true, "first,second,stiffness\n0,99999999999999999999,1\n", 2, "must be a whole number"},
    {"same_ends", true, "i,j,stiffness\n1,1,1\n", 2, "both ends at particle 1"},
    {"unknown_law", true, "first,second,stiffness,law\n0,1,1,qubic\n", 2, "did you mean \"cubic\"?"},
    {"twice", true, "first,second,stiffness\n0,1,1\n1,0,1\n", 3, "springs 0 and 1 both join"},
    {"negative_stiffness", true, "first,second,stiffness\n0,1,-1\n", 2, "must be > 0 N/m"},
};

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenTable, testing::ValuesIn(table_cases),
                         [](const auto& p) { return p.param.name; });

TEST(TableFile, MissingFileIsNamedWithTheLineThatAsksForIt) {
  const Tables files;
  std::filesystem::remove(files.folder / "s.csv");
  try {
    load_scene(files.path);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("{}:2: {}: no such file", files.path.string(), (files.folder / "s.csv").string()));
  }
}

TEST(TableFile, FolderInsteadOfAFile) {
  const Tables files;
  std::filesystem::remove(files.folder / "s.csv");
  std::filesystem::create_directory(files.folder / "s.csv");
  EXPECT_THROW(load_scene(files.path), FileError);
}

TEST(TableFile, GivenInBothPlaces) {
  const Tables files(particle_text, spring_text,
                     "particles = \"p.csv\"\n[simulation]\nduration = 1\nparticles = \"p.csv\"\n");
  EXPECT_THROW(load_scene(files.path), InputError);
}

}  // namespace
}  // namespace stiffly
