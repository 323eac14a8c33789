// Every array of a checkpoint is looked at before it is used: whatever is damaged about it, the run is
// refused with the name of the file and of the array, and nothing in the folder is touched.
#include "stiffly/results/checkpoint_file.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "stiffly/error.hpp"
#include "stiffly/files/archive.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/results/scene_run.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TemporaryFolder;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A checkpoint as named arrays, to be changed and written again, with a checksum that fits.
struct Arrays {
  std::string written_as = checkpoint_format;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> texts;

  explicit Arrays(const fs::path& path) {
    const ArchiveReader file(contents(path), path.string(), checkpoint_format, "checkpoint");
    for (const char* name : {"scene", "source/path", "source/text", "source/overrides"})
      texts[name] = file.text(name);
    for (const char* name :
         {"vtu", "start/time", "start/y", "state/time", "state/y", "integrator/numbers", "integrator/vectors",
          "summary", "control", "record/energies", "record/work", "record/totals", "record/states",
          "record/snapshot_times", "record/snapshots", "contact_time", "record/contact_times"})
      numbers[name] = file.numbers(name);
    for (int i = 0; file.has("integrator/vector" + std::to_string(i)); ++i)
      numbers["integrator/vector" + std::to_string(i)] =
          file.numbers("integrator/vector" + std::to_string(i));
  }

  void write(const fs::path& path) const {
    ArchiveWriter file(written_as);
    for (const auto& [name, values] : numbers) file.write(name, values);
    for (const auto& [name, text] : texts) file.write(name, text);
    write_file(path, file.finish());
  }
};

class DamagedCheckpoint : public testing::TestWithParam<const char*> {
 protected:
  DamagedCheckpoint() : sound_(make()) {}

  Scene scene() const {
    const std::vector<Override> changes = {{"integrator", GetParam()},
                                           {"count", "5"},
                                           {"stiffness", "1e3"},
                                           {"duration", "0.07"},
                                           {"step", "0.0007"}};
    return load_scene(find_scene("chain"), changes);
  }
  fs::path path() const { return folder_ / "out/checkpoint.bin"; }

  void resume() const { SceneRun(scene(), {.resume = folder_ / "out"}).simulate(); }

  void expect_refused(const Arrays& damaged, const std::string& name) const {
    SCOPED_TRACE(name);
    damaged.write(path());
    const std::string before = contents(folder_ / "out/run.json");
    try {
      resume();
      ADD_FAILURE() << "it was taken";
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("checkpoint.bin: "), std::string::npos) << message;
      EXPECT_NE(message.find(name), std::string::npos) << message;
    }
    EXPECT_EQ(contents(folder_ / "out/run.json"), before) << "results were removed";
  }

  TemporaryFolder folder_;
  Arrays sound_;

 private:
  Arrays make() {
    SceneRun(scene(), {.folder = folder_ / "out", .checkpoint_seconds = 0}).simulate([&] {
      RunObserver observer;
      observer.step = [](const State&, const SimulationSummary& s) { return s.steps < 17; };
      return observer;
    }());
    return Arrays(path());
  }
};

TEST_P(DamagedCheckpoint, IsSoundAsWritten) {
  sound_.write(path());
  EXPECT_NO_THROW(resume());
}

TEST_P(DamagedCheckpoint, IsRefusedWhicheverArrayItIs) {
  for (const auto& [name, values] : sound_.numbers) {
    Arrays longer = sound_;
    longer.numbers[name].push_back(values.empty() ? 0.5 : values.back());
    expect_refused(longer, name);
    Arrays text = sound_;
    text.numbers.erase(name);
    text.texts[name] = "a text";
    expect_refused(text, name);
    Arrays missing = sound_;
    missing.numbers.erase(name);
    expect_refused(missing, name);
    if (values.empty()) continue;
    Arrays shorter = sound_;
    shorter.numbers[name].pop_back();
    expect_refused(shorter, name);
    Arrays empty = sound_;
    empty.numbers[name].clear();
    expect_refused(empty, name);
    for (const std::size_t entry : {std::size_t{0}, values.size() / 2, values.size() - 1})
      for (const double value : {nan, std::numeric_limits<double>::infinity()}) {
        Arrays wrong = sound_;
        wrong.numbers[name][entry] = value;
        expect_refused(wrong, name);
      }
  }
  for (const auto& [name, text] : sound_.texts) {
    Arrays numbers = sound_;
    numbers.texts.erase(name);
    numbers.numbers[name] = {1, 2};
    expect_refused(numbers, name);
  }
}

TEST_P(DamagedCheckpoint, IsRefusedOutOfRange) {
  struct Wrong {
    const char* array;
    std::size_t entry;
    double value;
    const char* named;
  };
  for (const auto& [array, entry, value, named] : {
           Wrong{"state/time", 0, 0, "state/time"},
           Wrong{"state/time", 0, -1, "state/time"},
           Wrong{"state/time", 0, 1e300, "state/time"},
           Wrong{"start/time", 0, 0.1, "start/time"},
           Wrong{"start/y", 3, 7, "start/y"},
           Wrong{"summary", 0, -3, "summary"},
           Wrong{"summary", 0, 2.5, "summary"},
           Wrong{"summary", 2, 1e12, "summary"},
           Wrong{"summary", 8, 1e300, "summary"},
           Wrong{"summary", 7, 0.5, "summary"},
           Wrong{"summary", 14, 0.02, "state/time"},
           Wrong{"control", 0, -2, "control"},
           Wrong{"control", 3, 3, "control"},
           Wrong{"control", 3, 3.5, "control"},
           Wrong{"record/energies", 14, -1, "record/"},
           Wrong{"record/energies", 14, 1, "record/"},
           Wrong{"record/work", 1, -1, "record/work"},
           Wrong{"record/work", 3, 1e17, "record/work"},
           Wrong{"record/work", 9, 0.5, "record/work"},
           Wrong{"record/snapshot_times", 0, 0.06, "record/snapshot_times"},
       }) {
    Arrays wrong = sound_;
    wrong.numbers[array].at(entry) = value;
    expect_refused(wrong, named);
  }
}

/// Settings are compared and shown by recursion.
TEST_P(DamagedCheckpoint, WithSettingsDeepWithinEachOtherIsRefused) {
  Arrays deep = sound_;
  deep.texts["scene"] = "{\"a\": " + std::string(300000, '[') + std::string(300000, ']') + "}";
  expect_refused(deep, "of another scene or of other settings");
}

TEST_P(DamagedCheckpoint, OfAnotherVersionIsRefused) {
  Arrays other = sound_;
  other.written_as = "stiffly checkpoint 2";
  expect_refused(other, "not a checkpoint of this version");
}

/// Whatever bit it is: in the state, where nothing else would notice, in a time, in a length.
TEST_P(DamagedCheckpoint, IsRefusedWithAnyBitFlipped) {
  const std::string sound = contents(path());
  std::minstd_rand random(11);
  for (int i = 0; i < 60; ++i) {
    std::string damaged = sound;
    const std::size_t bit = random() % (8 * damaged.size());
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(path(), damaged);
    EXPECT_THROW(resume(), InputError) << "bit " << bit;
    EXPECT_THROW(read_request(path()), InputError) << "bit " << bit;
  }
  for (int i = 0; i < 20; ++i) {
    write_file(path(), sound.substr(0, random() % sound.size()));
    EXPECT_THROW(resume(), InputError) << "cut off";
  }
}

TEST_P(DamagedCheckpoint, SaysWhatWasAskedFor) {
  const SavedRequest request = read_request(path());
  EXPECT_EQ(load_scene(request.source).resolved,
            load_scene({request.source.path, request.source.text, scene().source.overrides}).resolved);
  EXPECT_EQ(request.source.text, contents(find_scene("chain")));
  EXPECT_FALSE(request.vtu);
}

INSTANTIATE_TEST_SUITE_P(Methods, DamagedCheckpoint,
                         testing::Values("exprb42", "bdf3", "sdirk2", "newmark", "ros3pl", "v-imex",
                                         "gautschi", "rk4"));

}  // namespace
}  // namespace stiffly
