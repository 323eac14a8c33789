// Any method, with contact projected away at the end of its steps.
#pragma once

#include "stiffly/contact/contact_projection.hpp"
#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// A step of the method, then the projection. Where that leaves things deeper in each other than it may, the
/// step is made as two of half its length. The method is told of every jump: it starts anew from there.
class Projected final : public Integrator {
 public:
  Projected(std::unique_ptr<Integrator> method, std::shared_ptr<ContactProjection> projection);

  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;
  double longest_step(const State& from, double h) override {
    return projection_->longest_step(from, method_->longest_step(from, h));
  }
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

 private:
  Step advance(const State& from, double h, bool want_error, int halvings);
  /// If `from` is where the last step ended, the method hears of its jump.
  void settle(const State& from, double h);

  std::unique_ptr<Integrator> method_;
  std::shared_ptr<ContactProjection> projection_;
  IntegratorTraits traits_;
  const SecondOrderSystem* system_ = nullptr;
  State end_;            ///< of the last step
  bool jumped_ = false;  ///< whether it ended elsewhere than the method brought it
};

}  // namespace stiffly
