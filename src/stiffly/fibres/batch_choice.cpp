#include "stiffly/fibres/batch_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stiffly/error.hpp"

namespace stiffly {

extern const BatchKernelTable batch_kernels_plain, batch_kernels_sse2, batch_kernels_avx2,
    batch_kernels_avx512;

namespace {

/// Those that can run here, the narrowest first.
std::vector<const BatchKernelTable*> available() {
  std::vector<const BatchKernelTable*> out = {&batch_kernels_plain, &batch_kernels_sse2};
#if defined(STIFFLY_WIDE_LANES)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out.push_back(&batch_kernels_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    out.push_back(&batch_kernels_avx512);
#endif
  return out;
}

}  // namespace

std::vector<int> lane_counts() {
  std::vector<int> out;
  for (const BatchKernelTable* table : available()) out.push_back(table->lanes);
  return out;
}

const BatchKernelTable& batch_kernels(int lanes) {
  const auto tables = available();
  if (lanes == 0) return *tables.back();
  const auto found = std::ranges::find(tables, lanes, [](const auto* table) { return table->lanes; });
  if (found == tables.end())
    throw InputError(fmt::format("this processor has no kernels for {} fibres at once, only for {}", lanes,
                                 fmt::join(lane_counts(), ", ")));
  return **found;
}

}  // namespace stiffly
