// Memory for the entries of lanes.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace stiffly {

/// Memory from the start of a cache line on, which is what the widest registers ask for.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* data, std::size_t) { ::operator delete(data, line); }
  bool operator==(const CacheLineAllocator&) const = default;
};

using LineVector = std::vector<double, CacheLineAllocator<double>>;

}  // namespace stiffly
