// φ-functions of one's own matrix in C++: rotation about an axis as the exponential of a skew matrix.
//
// Build it with CMake: find_package(stiffly), then link stiffly::stiffly.
#include <cmath>
#include <cstdio>
#include <stiffly/error.hpp>
#include <stiffly/phi/registry.hpp>

// x ↦ ω × x for many vectors at once. What an evaluator has to know is the size and the product.
class Turning final : public stiffly::LinearOperator {
 public:
  Turning(std::size_t vectors, std::array<double, 3> omega) : size_(3 * vectors), omega_(omega) {}
  std::size_t size() const override { return size_; }
  void apply(stiffly::ConstVectorView x, stiffly::VectorView y) const override {
    const auto from = stiffly::host(x);
    const auto to = stiffly::host(y);
    for (std::size_t i = 0; i < size_; i += 3)
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
        to[i + d] = omega_[e] * from[i + f] - omega_[f] * from[i + e];
      }
  }
  bool skew() const override { return true; }  // and so the exponential keeps lengths

 private:
  std::size_t size_;
  std::array<double, 3> omega_;
};

int main() {
  try {
    const Turning A(1000, {0, 0, 0.7});
    stiffly::Vector b(A.size());
    for (std::size_t i = 0; i < b.size(); i += 3) stiffly::host(b)[i] = 1;  // all along x
    const stiffly::ConstVectorView vectors[] = {b};
    const double nodes[] = {1.0};
    const double t = 3.1;
    const stiffly::PhiResult result =
        stiffly::make_evaluator("kiops")->evaluate({A, t, vectors, nodes, {.relative = 1e-10}});
    const auto turned = stiffly::host(result.values[0]);
    const double error = std::hypot(turned[0] - std::cos(0.7 * t), turned[1] - std::sin(0.7 * t));
    std::printf("exp(tA) b by %s with %d products: error %.1e\n", result.report.evaluator.c_str(),
                result.report.products, error);
    return error < 1e-9 ? 0 : 1;
  } catch (const stiffly::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
