#include "stiffly/study/reference_cache.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/hdf5.hpp"

namespace stiffly::study {
namespace {

constexpr const char* format = "stiffly reference 1";

/// FNV-1a.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

/// Six digits of each: sums in another order do not make another scene.
std::string digest(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += fmt::format("{:.6g},", value);
  return fmt::format("{:016x}", hash(text));
}

/// Forces at the start and at a state aside from it, with velocities and at a later time.
std::string physics(const SecondOrderSystem& system, const State& start) {
  State aside = start;
  std::vector<double> y = to_host(start.y);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += 1e-3 * std::sin(static_cast<double>(i + 1));
  aside.y = Vector(std::span<const double>(y));
  aside.time += 0.1;
  const Counters before = system.counters();
  std::string out = digest(to_host(start.y));
  for (const State* state : {&start, static_cast<const State*>(&aside)}) {
    Vector rate(state->y.size());
    system.rate(*state, rate);
    out.append("-").append(digest(to_host(rate)));
  }
  system.counters() = before;
  return out;
}

void write_solution(Hdf5Writer& file, const std::string& name, const Solution& solution) {
  file.write(name + "/method", solution.method);
  file.write(name + "/setting", solution.setting);
  std::vector<double> states;
  for (const State& state : solution.states) {
    const std::vector<double> y = to_host(state.y);
    states.insert(states.end(), y.begin(), y.end());
  }
  file.write(name + "/states", states);
}

Solution read_solution(const Hdf5Reader& file, const std::string& name, std::size_t entries,
                       std::span<const double> moments) {
  Solution out{file.text(name + "/method"), file.text(name + "/setting"), {}};
  const std::vector<double> y = file.numbers(name + "/states");
  if (y.size() != entries * moments.size()) throw InputError("states of another size");
  for (std::size_t j = 0; j < moments.size(); ++j)
    out.states.emplace_back(moments[j], Vector(std::span(y).subspan(j * entries, entries)));
  return out;
}

}  // namespace

std::filesystem::path reference_folder() {
  namespace fs = std::filesystem;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  const fs::path cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  const fs::path base = cache.is_absolute() ? cache : home.empty() ? fs::path() : home / ".cache";
  return base.empty() ? base : base / "stiffly" / "references";
}

std::string reference_key(const Scene& scene, std::span<const double> moments) {
  auto settings = nlohmann::ordered_json::parse(scene.resolved);
  nlohmann::ordered_json key = {{"format", format}, {"scene", scene.name}, {"model", settings["model"]}};
  key["gravity"] = settings["simulation"].value("gravity", nlohmann::ordered_json());
  key["physics"] = physics(scene.system(), scene.body.start);
  key["moments"] = std::vector<double>(moments.begin(), moments.end());
  return key.dump();
}

ReferenceCache::ReferenceCache(std::filesystem::path folder, std::string key) : key_(std::move(key)) {
  if (!folder.empty()) file_ = folder / fmt::format("{:016x}.h5", hash(key_));
}

std::optional<Reference> ReferenceCache::load(const Scene& scene, std::span<const double> moments) const {
  if (file_.empty() || !std::filesystem::exists(file_)) return {};
  try {
    const Hdf5Reader file(file_);
    if (file.text("key") != key_) return {};
    Reference out;
    out.best = read_solution(file, "best", scene.body.start.y.size(), moments);
    out.witness = read_solution(file, "witness", scene.body.start.y.size(), moments);
    out.seconds = file.numbers("seconds").at(0);
    out.cached = true;
    return out;
  } catch (const Error&) {  // damaged: as good as not there
    return {};
  } catch (const std::out_of_range&) {
    return {};
  }
}

void ReferenceCache::store(const Reference& reference) const {
  if (file_.empty()) return;
  prepare_folder(file_.parent_path());
  Hdf5Writer file(file_);
  file.write("key", key_);
  file.write("seconds", std::span(&reference.seconds, 1));
  write_solution(file, "best", reference.best);
  write_solution(file, "witness", reference.witness);
  file.finish();
}

}  // namespace stiffly::study
