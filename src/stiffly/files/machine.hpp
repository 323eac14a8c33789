// What the program runs on and was built with.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/threads.hpp"

namespace stiffly {

/// Of the machine.
double memory_bytes();
/// The memory this process has now, in bytes.
std::int64_t resident_memory_bytes();
/// The most memory this process has had, in bytes.
std::int64_t peak_memory_bytes();

/// Name and value, in the order to show them: "stiffly" → "0.1.0", "Eigen" → "3.4.0", …
std::vector<std::pair<std::string, std::string>> versions();
/// Processor, cores, memory, threads.
std::vector<std::pair<std::string, std::string>> hardware();
/// Why dense linear algebra is slower here than it could be, and what helps; empty where nothing is known.
std::string blas_advice();

}  // namespace stiffly
