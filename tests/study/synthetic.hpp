// A candidate whose errors and times are known.
#pragma once

#include <cmath>
#include <functional>

#include "stiffly/results/error_norms.hpp"
#include "stiffly/study/candidate.hpp"

namespace stiffly::test {

/// Known errors and costs: the reference, moved by error(h) of the body's size, at `seconds_per_step`.
class Synthetic : public study::Candidate {
 public:
  Synthetic(std::string name, const ErrorMeasure& measure, std::function<double(double)> error,
            double seconds_per_step = 1e-3)
      : name_(std::move(name)),
        measure_(measure),
        error_(std::move(error)),
        seconds_per_step_(seconds_per_step) {
    double size = 0;
    for (const State& s : measure.reference()) size = std::max(size, norm(s.x()));
    size_ = size;
  }
  const std::string& name() const override { return name_; }
  study::Knob knob() const override { return study::Knob::step; }
  study::Trajectory run(const SecondOrderSystem&, const State& start, std::span<const double> moments,
                        double h, double time_limit) override {
    ++runs;
    study::Trajectory out;
    out.states = measure_.reference();
    out.simulated_seconds = moments.back() - start.time;
    out.steps = std::lround(out.simulated_seconds / h);
    out.seconds = seconds_per_step_ * static_cast<double>(out.steps);
    out.work.force = out.steps;
    if (out.seconds > time_limit) {
      out.simulated_seconds *= time_limit / out.seconds;
      out.seconds = time_limit;
      out.out_of_time = true;
      out.failure = "out of time";
      out.states.resize(1);
    }
    for (State& s : out.states) {
      std::vector<double> y = to_host(s.y);
      y[0] += error_(h) * size_;
      s.y = Vector(std::span<const double>(y));
    }
    return out;
  }
  int runs = 0;

 private:
  std::string name_;
  const ErrorMeasure& measure_;
  std::function<double(double)> error_;
  double size_, seconds_per_step_;
};

}  // namespace stiffly::test
