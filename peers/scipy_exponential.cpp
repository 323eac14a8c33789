#include "peers/scipy_exponential.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>

#include "stiffly/files/file.hpp"
#include "stiffly/files/program.hpp"

namespace stiffly::study {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds start_limit{60}, limit{600};

/// Arguments: t, repeats. Numbers are in files of the working folder, in the machine's own format.
constexpr const char* script = R"(
import sys, time, numpy, scipy
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import expm_multiply

t, repeats = float(sys.argv[1]), int(sys.argv[2])
starts, columns = (numpy.fromfile(name, 'i8') for name in ('starts', 'columns'))
values, b = (numpy.fromfile(name, 'f8') for name in ('values', 'b'))
tA = t * csr_matrix((values, columns, starts), shape=(len(b), len(b)))
tA.eliminate_zeros()
best = float('inf')
for _ in range(repeats):
    begin = time.perf_counter()
    value = expm_multiply(tA, b)
    best = min(best, time.perf_counter() - begin)
value.tofile('value')
open('report', 'w').write(f'{best!r} {scipy.__version__}')
)";

bool has_scipy(const fs::path& program) {
  const ScratchFolder scratch;
  std::error_code error;
  return fs::exists(program, error) &&
         run_program(program, {"-c", "import scipy.sparse.linalg"}, scratch.path(), start_limit).status == 0;
}

/// The distribution's packages belong to the second, and PATH may have another one first.
std::optional<fs::path> find_python() {
  for (const auto& candidate : {find_program("python3"), std::optional<fs::path>("/usr/bin/python3")})
    if (candidate && has_scipy(*candidate)) return candidate;
  return std::nullopt;
}

const std::optional<fs::path>& python() {
  static const std::optional<fs::path> found = find_python();
  return found;
}

template <class T>
void write_numbers(const fs::path& path, std::span<const T> numbers) {
  write_file(path, {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

Vector read_vector(const fs::path& path, std::size_t size) {
  const std::string bytes = read_file(path, size * sizeof(double));
  std::vector<double> numbers(size);
  if (bytes.size() != size * sizeof(double))
    throw SimulationError(fmt::format("scipy gave {} bytes for {} numbers", bytes.size(), size));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
    throw SimulationError("scipy gave values that are not finite");
  return Vector{std::span<const double>(numbers)};
}

void check(const CompressedRows& A, double t, ConstVectorView b, int repeats) {
  if (!std::isfinite(t))
    throw InputError(fmt::format("the time of an exponential must be finite, not {}", t));
  if (b.size() != static_cast<std::size_t>(A.rows()))
    throw InputError(fmt::format("a vector of {} entries for a matrix of order {}", b.size(), A.rows()));
  if (A.values.size() != A.columns.size() || A.starts.back() != static_cast<std::int64_t>(A.columns.size()))
    throw InputError(fmt::format("a sparse matrix of {} values in {} columns, with rows that end at {}",
                                 A.values.size(), A.columns.size(), A.starts.back()));
  if (repeats < 1) throw InputError(fmt::format("at least one repeat is needed, not {}", repeats));
}

}  // namespace

bool scipy_available() { return python().has_value(); }

ScipyExponential scipy_exponential(const CompressedRows& A, double t, ConstVectorView b, int repeats) {
  check(A, t, b, repeats);
  if (!scipy_available())
    throw SimulationError("no python3 has scipy; it is in Debian's package python3-scipy");
  const ScratchFolder scratch;
  const fs::path& folder = scratch.path();
  write_numbers<std::int64_t>(folder / "starts", A.starts);
  write_numbers<std::int64_t>(folder / "columns", A.columns);
  write_numbers<double>(folder / "values", A.values);
  write_numbers<double>(folder / "b", host(b));
  const ProgramResult result =
      run_program(*python(), {"-c", script, fmt::format("{}", t), fmt::format("{}", repeats)}, folder, limit);
  if (result.timed_out) throw SimulationError(fmt::format("scipy was stopped after {} s", limit.count()));
  if (result.status != 0)
    throw SimulationError(fmt::format("scipy failed (status {}): {}", result.status, result.output));

  ScipyExponential out;
  out.value = read_vector(folder / "value", b.size());
  const std::string report = read_file(folder / "report", 1000);
  const char* const end = report.data() + report.size();
  const auto [rest, error] = std::from_chars(report.data(), end, out.seconds);
  if (error != std::errc{} || rest == end)
    throw SimulationError(fmt::format("scipy's report cannot be read: {}", report));
  out.version.assign(rest + 1, end);
  return out;
}

}  // namespace stiffly::study
