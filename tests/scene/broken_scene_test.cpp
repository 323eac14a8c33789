// A corpus of broken scenes. Each must be refused with a message that names the place and the remedy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stiffly/error.hpp"
#include "stiffly/scene/scene.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::TemporaryFolder;

/// Lines 1 to 14 of a scene that is right; cases replace one line each.
const std::vector<std::string> good = {
    "[simulation]",             // 1
    "duration = 0.5",           // 2
    "step = 0.01",              // 3
    "gravity = [0, 0, -9.81]",  // 4
    "[[particle]]",             // 5
    "position = [0, 0, 0]",     // 6
    "mass = 0.01",              // 7
    "pinned = true",            // 8
    "[[particle]]",             // 9
    "position = [0.1, 0, 0]",   // 10
    "mass = 0.01",              // 11
    "[[spring]]",               // 12
    "ends = [0, 1]",            // 13
    "stiffness = 1e5",          // 14
};

struct Case {
  const char* name;
  int line;              ///< replaced
  const char* text;      ///< by this
  int reported;          ///< line in the message
  const char* expected;  ///< part of the message
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string message_of(const std::filesystem::path& path, std::span<const Override> overrides = {}) {
  try {
    load_scene(path, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

class BrokenLine : public testing::TestWithParam<Case> {};

TEST_P(BrokenLine, IsNamed) {
  const Case& c = GetParam();
  std::string text;
  for (std::size_t i = 0; i < good.size(); ++i)
    text += (static_cast<int>(i) + 1 == c.line ? c.text : good[i]) + std::string("\n");
  TemporaryFolder folder;
  const std::filesystem::path path = folder.write("scene.toml", text);
  const std::string message = message_of(path);
  const std::string place =
      c.reported ? fmt::format("{}:{}: ", path.string(), c.reported) : path.string() + ": ";
  EXPECT_TRUE(message.starts_with(place)) << message;
  EXPECT_NE(message.find(c.expected), std::string::npos) << message;
}

const Case cases[] = {
    {"misspelt_key", 14, "stifness = 1e5", 14,
     "unknown key 'stifness' in [[spring]]; did you mean 'stiffness'?"},
    {"misspelt_simulation_key", 2, "durration = 0.5", 2,
     "unknown key 'durration' in [simulation]; did you mean 'duration'?"},
    {"misspelt_particle_key", 7, "mas = 1", 7, "did you mean 'mass'?"},
    {"misspelt_section", 1, "[simulaton]", 1, "unknown section [simulaton]; did you mean [simulation]?"},
    {"misspelt_list", 12, "[[springs]]", 12, "'springs' in the top of the file must be a text"},
    {"single_brackets", 12, "[spring]", 12, "two brackets"},
    {"root_key_of_simulation", 1, "integrator = \"rk4\"\n[simulation]", 1, "belongs in [simulation]"},
    {"unknown_root_key", 1, "colour = 1\n[simulation]", 1, "unknown key 'colour' in the top of the file"},
    {"no_simulation", 1, "[model]", 2, "unknown key 'duration' in [model] of kind \"particles\""},
    {"no_duration", 2, "", 1, "[simulation] needs 'duration'"},
    {"zero_duration", 2, "duration = 0", 2, "'duration' in [simulation] must be > 0 s, not 0"},
    {"negative_duration", 2, "duration = -1", 2, "must be > 0"},
    {"nan_duration", 2, "duration = nan", 2, "must be finite, not nan"},
    {"infinite_duration", 2, "duration = inf", 2, "must be finite, not inf"},
    {"text_duration", 2, "duration = \"long\"", 2, "must be a number, not the text \"long\""},
    {"boolean_duration", 2, "duration = true", 2, "must be a number, not true"},
    {"date_duration", 2, "duration = 2020-01-01", 2, "must be a number, not a date or time"},
    {"zero_step", 3, "step = 0", 3, "'step' in [simulation] must be > 0 s"},
    {"infinite_step", 3, "step = -inf", 3, "must be finite"},
    {"tiny_step", 3, "step = 1e-300", 3, "too many"},
    {"tolerance", 3, "tolerance = -1e-4", 3, "must be > 0, ≤ 0.1, not -0.0001"},
    {"newton", 3, "newton = \"newtn\"", 3, "newton"},
    {"linear_solver", 3, "linear_solver = \"cg-sor\"", 3, "cg-ssor"},
    {"two_gravities", 4, "gravity = [0, 1]", 4, "must be three numbers [x, y, z], not a list of 2"},
    {"text_gravity", 4, "gravity = [0, \"a\", 0]", 4, "must be three numbers"},
    {"nan_gravity", 4, "gravity = [0, nan, 0]", 4, "must be finite"},
    {"nested_gravity", 4, "gravity = [[0], 0, 0]", 4, "must be three numbers"},
    {"unknown_integrator", 3, "integrator = \"exprb24\"", 3, "unknown integrator 'exprb24'; did you mean '"},
    {"unknown_evaluator", 3, "evaluator = \"ratonal\"", 3, "did you mean 'rational'?"},
    {"unknown_reformulation", 3, "reformulation = \"explicit_root\"", 3, "did you mean \"explicit-root\"?"},
    {"large_phi_tolerance", 3, "phi_tolerance = 2", 3, "must be > 0, ≤ 1, not 2"},
    {"negative_frames", 3, "frames = -5", 3, "'frames'"},
    {"no_mass", 7, "", 5, "[[particle]] needs 'mass'"},
    {"zero_mass", 7, "mass = 0", 7, "must be > 0 kg, not 0"},
    {"negative_mass", 11, "mass = -0.01", 11, "must be > 0 kg"},
    {"infinite_mass", 11, "mass = inf", 11, "must be finite"},
    {"no_position", 10, "", 9, "[[particle]] needs 'position'"},
    {"infinite_position", 10, "position = [inf, 0, 0]", 10, "must be finite"},
    {"pinned_number", 8, "pinned = 1", 8, "must be true or false, not 1"},
    {"pinned_moving", 8, "pinned = true\nvelocity = [1, 0, 0]", 9, "is pinned, so it cannot have a velocity"},
    {"all_pinned", 11, "mass = 1\npinned = true", 0, "nothing can move"},
    {"no_ends", 13, "", 12, "[[spring]] needs 'ends'"},
    {"end_out_of_range", 13, "ends = [0, 2]", 13, "spring 0 ends at particle 2, but there are 2 particles"},
    {"negative_end", 13, "ends = [-1, 1]", 13, "must be ≥ 0, not -1"},
    {"huge_end", 13, "ends = [0, 9223372036854775807]", 13, "ends at particle 9223372036854775807"},
    {"fractional_end", 13, "ends = [0, 1.5]", 13, "must be two whole numbers [i, j]"},
    {"three_ends", 13, "ends = [0, 1, 1]", 13, "must be two whole numbers [i, j], not a list of 3"},
    {"same_ends", 13, "ends = [1, 1]", 13, "both ends at particle 1"},
    {"no_length", 10, "position = [0, 0, 0]", 13,
     "spring 0 has no length: particles 0 and 1 are at the same place"},
    {"zero_rest_length", 14, "stiffness = 1e5\nrest_length = 0", 15,
     "'rest_length' in [[spring]] must be > 0 m"},
    {"no_stiffness", 14, "", 12, "[[spring]] needs 'stiffness' (a number, N/m)"},
    {"zero_stiffness", 14, "stiffness = 0", 14, "must be > 0 N/m"},
    {"negative_damping", 14, "stiffness = 1\ndamping = -1", 15, "must be ≥ 0 N s/m"},
    {"unknown_law", 14, "stiffness = 1\nlaw = \"cubik\"", 15,
     "must be one of \"linear\", \"cubic\", not \"cubik\"; did you mean \"cubic\"?"},
    {"twice_the_same_spring", 14, "stiffness = 1\n[[spring]]\nends = [1, 0]\nstiffness = 2", 16,
     "springs 0 and 1 both join particles 1 and 0"},
    {"twice_the_same_key", 3, "duration = 1", 3, "not valid TOML"},
    {"twice_the_same_section", 5, "[simulation]\n[[particle]]", 5, "not valid TOML"},
    {"no_toml", 6, "position = = 3", 6, "not valid TOML"},
    {"open_quote", 3, "integrator = \"exprb42", 3, "not valid TOML"},
    {"open_bracket", 13, "ends = [0, 1", 14, "not valid TOML"},
    // Each of these breaks an assertion of toml++ 3.3.
    {"section_without_name", 5, "[.b]", 5, "a character that cannot stand where it does"},
    {"section_of_foreign_letters", 5, "[ä]", 5, "a character that cannot stand where it does"},
    {"section_of_nothing", 12, "[[=", 12, "a character that cannot stand where it does"},
    {"list_closed_as_a_table", 13, "ends = [}", 13, "a character that cannot stand where it does"},
    {"foreign_letters_after_a_key", 14, "stiffness Унд = 3", 14, "not valid TOML"},
    {"unknown_kind", 1, "[model]\nkind = \"koil\"\n[simulation]", 2, "did you mean \"coil\"?"},
    {"kind_is_no_text", 1, "[model]\nkind = 3\n[simulation]", 2, "must be a text in quotes, not 3"},
    {"model_makes_its_own", 1, "[model]\nkind = \"coil\"\n[simulation]", 7, "makes its own particles"},
    {"simulation_twice_csv", 1, "particles = \"p.csv\"\n[simulation]", 1, "define the same things twice"},
    {"size_without_sizes", 1, "size = \"small\"\n[simulation]", 1, "this scene has one size only"},
    {"unknown_size", 1, "size = \"tiny\"\n[sizes.small.simulation]\nstep = 1\n[simulation]", 1,
     "there is no size 'tiny'; this scene comes in: small"},
    {"wrong_key_in_size", 1, "[sizes.small.simulation]\nstp = 1\n[simulation]", 2, "did you mean 'step'?"},
    {"wrong_section_in_size", 1, "[sizes.small.particle]\nmass = 1\n[simulation]", 1,
     "[sizes.small] can hold"},
    {"sizes_is_no_table", 1, "sizes = 3\n[simulation]", 1, "[sizes] must hold tables"},
};

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenLine, testing::ValuesIn(cases),
                         [](const auto& p) { return p.param.name; });

std::string joined(const std::vector<std::string>& lines, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += lines[i] + "\n";
  return text;
}

TEST(BrokenScene, GoodLinesAreGood) {
  TemporaryFolder folder;
  EXPECT_EQ(message_of(folder.write("scene.toml", joined(good, good.size()))), "accepted");
}

TEST(BrokenScene, WithoutParticles) {
  TemporaryFolder folder;
  const auto path = folder.write("scene.toml", joined(good, 3));
  EXPECT_EQ(message_of(path),
            path.string() +
                ": there are no particles: add [[particle]] tables, particles = \"FILE.csv\", or a [model]");
}

TEST(BrokenScene, EmptyFile) {
  TemporaryFolder folder;
  EXPECT_NE(message_of(folder.write("scene.toml", "")).find("there is no [simulation]"), std::string::npos);
}

TEST(BrokenScene, BinaryRubbish) {
  TemporaryFolder folder;
  EXPECT_NE(message_of(folder.write("scene.toml", std::string("\0\xff\xfe\x80\n", 5))).find("not valid TOML"),
            std::string::npos);
}

TEST(BrokenScene, DeepNesting) {
  TemporaryFolder folder;
  EXPECT_NE(message_of(folder.write("scene.toml", "x = " + std::string(100000, '['))).find("not valid TOML"),
            std::string::npos);
}

TEST(BrokenScene, AbsurdlyLargeFile) {
  TemporaryFolder folder;
  const auto path = folder.write("scene.toml", "");
  std::filesystem::resize_file(path, 100u << 20);  // sparse
  EXPECT_NE(message_of(path).find("too large"), std::string::npos);
}

TEST(BrokenScene, MissingFileAndFolder) {
  TemporaryFolder folder;
  EXPECT_THROW(load_scene(folder / "none.toml"), FileError);
  EXPECT_THROW(load_scene(folder.path()), FileError);
}

TEST(BrokenScene, GravityOnUnknownsThatAreNotInSpace) {
  TemporaryFolder folder;
  const auto path = folder.write(
      "scene.toml", "[simulation]\nduration = 1\ngravity = [0, 0, 1]\n[model]\nkind = \"fput\"\n");
  EXPECT_NE(message_of(path).find(":3: 'gravity' acts on particles in space"), std::string::npos);
}

TEST(BrokenScene, ImpossibleCoil) {
  TemporaryFolder folder;
  const auto path =
      folder.write("scene.toml", "[simulation]\nduration = 1\n[model]\nkind = \"coil\"\npitch = 0.001\n");
  const std::string message = message_of(path);
  EXPECT_NE(message.find("scene.toml:3: coil: with a pitch of"), std::string::npos) << message;
}

class BrokenOverride : public testing::TestWithParam<std::array<const char*, 3>> {};

TEST_P(BrokenOverride, IsNamed) {
  const auto& [key, value, expected] = GetParam();
  TemporaryFolder folder;
  const auto path = folder.write("scene.toml", joined(good, good.size()));
  const Override change{key, value};
  const std::string message = message_of(path, std::span(&change, 1));
  EXPECT_TRUE(message.starts_with(fmt::format("--set {}={}: ", key, value))) << message;
  EXPECT_NE(message.find(expected), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, BrokenOverride,
    testing::Values(
        std::array{"simulation.stp", "1", "did you mean 'step'?"},
        std::array{"stp", "1", "did you mean 'step'?"},
        std::array{"simulation.step", "abc", "must be a number, not 'abc'"},
        std::array{"step", "", "must be a number, not ''"}, std::array{"step", "-1", "must be > 0 s, not -1"},
        std::array{"step", "nan", "must be finite"}, std::array{"gravity", "[1,2]", "three numbers"},
        std::array{"sping.stiffness", "1", "did you mean [spring]?"},
        std::array{"spring.1.stiffness", "1", "there is no spring 1; they are numbered 0 … 0"},
        std::array{"simulation.1.step", "1", "is not a key"},
        std::array{"spring.x.stiffness", "1", "is not a key"},
        std::array{"spring.-1.stiffness", "1", "is not a key"}, std::array{"spring.law", "quartic", "one of"},
        std::array{"kind", "koil", "did you mean \"coil\"?"},
        std::array{"integrator", "exprb24", "did you mean '"}, std::array{"size", "small", "one size only"},
        std::array{"tolerance", "0.5", "must be > 0, ≤ 0.1, not 0.5"}));

}  // namespace
}  // namespace stiffly
