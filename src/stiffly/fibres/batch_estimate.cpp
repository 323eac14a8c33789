#include "stiffly/fibres/batch_estimate.hpp"

#include <cmath>
#include <initializer_list>

namespace stiffly {
namespace {

const double* free_positions(const FibreBatch& batch) {
  return batch.view().x + batch::section_size * batch.lanes();
}

/// ‖Σ w_k y_k‖ of each lane, with w_k of lane i at weights[k W + i].
std::vector<double> norms_of(const FibreBatch& batch, std::initializer_list<const double*> y,
                             const LineVector& weights) {
  LineVector squares(static_cast<std::size_t>(batch.lanes()));
  batch.kernels().norm(batch.sections(), batch.view().mass, static_cast<int>(y.size()), y.begin(),
                       weights.data(), squares.data());
  std::vector<double> out;
  for (const double square : squares) out.push_back(std::sqrt(square));
  return out;
}

/// The same weights for all lanes.
LineVector for_all(const FibreBatch& batch, std::initializer_list<double> weights) {
  LineVector out;
  for (const double weight : weights) out.insert(out.end(), static_cast<std::size_t>(batch.lanes()), weight);
  return out;
}

}  // namespace

PathNorms path_norms(const FibreBatch& batch, const double* h) {
  LineVector weights = for_all(batch, {1.0});
  weights.insert(weights.end(), h, h + batch.lanes());
  const double* v = batch.view().v;
  return {norms_of(batch, {v}, for_all(batch, {1.0})), norms_of(batch, {free_positions(batch), v}, weights)};
}

BatchEstimate::BatchEstimate(FibreBatch& batch, const BatchWorkspace& workspace)
    : batch_(batch),
      work_(workspace),
      position_weights_(for_all(batch, {0, 0, 0, 0, 0})),
      velocity_weights_(for_all(batch, {0, 0})) {}

void BatchEstimate::compare(int lane) {
  position_weights_[at(0, lane)] = velocity_weights_[at(0, lane)] = 1.0 / 3;
  position_weights_[at(4, lane)] = velocity_weights_[at(1, lane)] = -1.0 / 3;
}

// x[t₋₂, t₋₁, t₀, t₁] = Σ x_i / Π_{j≠i} (t_i − t_j), in whatever order the times are.
void BatchEstimate::difference(int lane, double time, double h,
                               const std::array<double, FibreBatch::past_slots>& past_time) {
  const double times[] = {time + h, past_time[0], past_time[1], past_time[2]};
  for (int a = 0; a < 4; ++a) {
    double weight = h * h * h / 2;
    for (int b = 0; b < 4; ++b)
      if (b != a) weight /= times[a] - times[b];
    position_weights_[at(a, lane)] = weight;
  }
}

StepNorms BatchEstimate::norms() const {
  const double *x = free_positions(batch_), *v = batch_.view().v;
  return {.position_error = norms_of(
              batch_, {x, batch_.past(0), batch_.past(1), batch_.past(2), work_.whole_x}, position_weights_),
          .velocity_error = norms_of(batch_, {v, work_.whole_v}, velocity_weights_),
          .displacement = norms_of(batch_, {x, batch_.start()}, for_all(batch_, {1, -1})),
          .speed = norms_of(batch_, {v}, for_all(batch_, {1}))};
}

}  // namespace stiffly
