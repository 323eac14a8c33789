#include "stiffly/fibres/batch_workspace.hpp"

#include "stiffly/fibres/batch_exponential.hpp"
#include "stiffly/fibres/batch_layout.hpp"

namespace stiffly {
namespace {

struct WorkArrays {
  BatchView view;
  double *begin_v, *begin_acceleration, *begin_strain, *whole_x, *whole_v;
};

WorkArrays lay_out_work(BatchLayout& layout, int sections) {
  const BatchSizes n(sections);
  WorkArrays out;
  out.view.h = layout.take(1);
  out.view.z = layout.take(n.unknowns);
  out.view.end_x = layout.take(n.all_unknowns);
  out.view.end_strain = layout.take(n.springs);
  out.view.gap = layout.take(n.springs);
  out.view.residual = layout.take(n.unknowns);
  out.view.push = layout.take(3 * sections);
  out.view.frozen_h = layout.take(1);
  out.view.direction = layout.take(3 * n.springs);
  out.view.across = layout.take(n.springs);
  out.view.push_stiffness = layout.take(9 * sections);
  out.view.panels = layout.take(batch::panel_size * sections);
  out.view.inverse_pivots = layout.take(n.unknowns);
  out.begin_v = layout.take(n.unknowns);
  out.begin_acceleration = layout.take(n.unknowns);
  out.begin_strain = layout.take(n.springs);
  out.whole_x = layout.take(n.unknowns);
  out.whole_v = layout.take(n.unknowns);
  return out;
}

}  // namespace

BatchWorkspace::BatchWorkspace(int lanes, int sections)
    : lanes_(lanes), sections_(sections), memory_(memory(lanes, sections) / sizeof(double)) {
  BatchLayout layout(lanes, memory_.data());
  const WorkArrays arrays = lay_out_work(layout, sections);
  arrays_ = arrays.view;
  begin_v = arrays.begin_v;
  begin_acceleration = arrays.begin_acceleration;
  begin_strain = arrays.begin_strain;
  whole_x = arrays.whole_x;
  whole_v = arrays.whole_v;
}

BatchWorkspace::~BatchWorkspace() = default;

ExponentialWorkspace& BatchWorkspace::exponential(int parts) {
  if (!exponential_ || exponential_->parts < parts)
    exponential_ = std::make_unique<ExponentialWorkspace>(lanes_, sections_, parts);
  return *exponential_;
}

BatchView BatchWorkspace::view(const FibreBatch& batch) const {
  const BatchView& fibres = batch.view();
  BatchView out = arrays_;
  out.sections = fibres.sections;
  out.mass = fibres.mass;
  out.drag = fibres.drag;
  out.load = fibres.load;
  out.stiffness = fibres.stiffness;
  out.rest_length = fibres.rest_length;
  out.damping_time = fibres.damping_time;
  out.x = fibres.x;
  out.v = fibres.v;
  out.strain = fibres.strain;
  return out;
}

std::size_t BatchWorkspace::memory(int lanes, int sections) {
  BatchLayout layout(lanes, nullptr);
  lay_out_work(layout, sections);
  return layout.used() * sizeof(double);
}

}  // namespace stiffly
