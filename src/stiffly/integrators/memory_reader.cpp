#include "stiffly/integrators/memory_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiffly {

void Integrator::restore(const IntegratorMemory& memory) {
  if (!memory.numbers.empty())
    throw DamagedMemory("'integrator/numbers' is not empty, but the method has no memory");
  if (!memory.vectors.empty())
    throw DamagedMemory("'integrator/vector0' is there, but the method has no memory");
}

double MemoryReader::number(double least, double most) {
  if (numbers_left() == 0)
    throw DamagedMemory(fmt::format("'integrator/numbers' has only {} entries", memory_.numbers.size()));
  const double value = memory_.numbers[next_number_++];
  if (!(value >= least && value <= most))
    throw DamagedMemory(fmt::format("entry {} of 'integrator/numbers' is {}, which the method never saves",
                                    next_number_ - 1, value));
  return value;
}

Vector MemoryReader::vector(std::size_t size) {
  const std::string name = fmt::format("'integrator/vector{}'", next_vector_);
  if (vectors_left() == 0) throw DamagedMemory(name + " is missing");
  const Vector& values = memory_.vectors[next_vector_++];
  if (values.size() != size)
    throw DamagedMemory(fmt::format("{} has {} entries instead of {}", name, values.size(), size));
  const std::vector<double> entries = to_host(values);
  if (!std::ranges::all_of(entries, [](double value) { return std::isfinite(value); }))
    throw DamagedMemory(name + " has entries that are not finite");
  return values;
}

State MemoryReader::state() {
  const double time = number();
  return State(time, vector(2 * unknowns_));
}

State MemoryReader::state_before(double time) {
  State out = state();
  if (!(out.time < time)) throw DamagedMemory("the times in 'integrator/numbers' do not fall");
  return out;
}

void MemoryReader::finish() const {
  if (numbers_left() > 0)
    throw DamagedMemory(fmt::format("'integrator/numbers' has {} entries too many", numbers_left()));
  if (vectors_left() > 0)
    throw DamagedMemory(fmt::format("'integrator/vector{}' is one too many", next_vector_));
}

}  // namespace stiffly
