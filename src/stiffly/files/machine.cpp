#include "stiffly/files/machine.hpp"

#include <cairo.h>
#include <cblas.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <toml++/impl/version.h>
#include <unistd.h>
#include <zlib.h>

#include <Eigen/Core>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#ifdef STIFFLY_WITH_CHOLMOD
#include <cholmod.h>
#endif

#include "stiffly/linalg/blas_kernels.hpp"
#include "stiffly/version.hpp"

namespace stiffly {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  utsname name{};
  return uname(&name) == 0 ? name.machine : "unknown";
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace

double memory_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

std::int64_t resident_memory_bytes() {
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGE_SIZE);
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts in KiB
}

std::vector<std::pair<std::string, std::string>> versions() {
  choose_blas_kernels();
  return {
      {"stiffly", std::string(version)},
#ifdef __clang__
      {"compiler", fmt::format("clang {}", __clang_version__)},
#else
      {"compiler", fmt::format("GCC {}", __VERSION__)},
#endif
      {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
#ifdef STIFFLY_WITH_CHOLMOD
      {"CHOLMOD", fmt::format("{}.{}.{}", CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION, CHOLMOD_SUBSUB_VERSION)},
#else
      {"CHOLMOD", "not used: factorising with Eigen"},
#endif
      {"OpenBLAS", openblas_get_config()},
      {"HDF5", hdf5_version()},
      {"toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
      {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                    NLOHMANN_JSON_VERSION_PATCH)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"zlib", zlibVersion()},
      {"Cairo", cairo_version_string()},
  };
}

std::vector<std::pair<std::string, std::string>> hardware() {
  return {
      {"processor", processor()},
      {"cores", fmt::format("{}", std::thread::hardware_concurrency())},
      {"memory", fmt::format("{:.1f} GiB", memory_bytes() / (1 << 30))},
      {"threads", fmt::format("{}", thread_count())},
  };
}

std::string blas_advice() {
#ifdef __x86_64__
  choose_blas_kernels();
  constexpr std::string_view oldest = "Prescott";
  if (openblas_get_corename() == oldest && __builtin_cpu_supports("avx2"))
    return "OpenBLAS computes as for a processor of 2004, dense products two to five times slower: set the "
           "environment variable OPENBLAS_CORETYPE to Haswell (SkylakeX where there is AVX-512), or install a "
           "newer OpenBLAS";
#endif
  return {};
}

}  // namespace stiffly
