#include "stiffly/integrators/stage.hpp"

namespace stiffly {

Stage Stage::first_order(double t, ConstVectorView x, ConstVectorView v, double ah) {
  Stage stage{.t = t, .p = Vector(x), .q = Vector(v), .b = ah * ah, .c = ah};
  axpy(ah, v, stage.p);
  return stage;
}

void Stage::place(const Vector& z, VectorView x, VectorView v) const {
  copy(p, x);
  axpy(b, z, x);
  copy(q, v);
  axpy(c, z, v);
}

void prescribe(const ParticleConstraints& constraints, const Stage& stage, Vector& z) {
  if (constraints.empty()) return;
  Vector v = stage.q;
  axpy(stage.c, z, v);
  constraints.prescribe(v);
  axpy(-1.0, stage.q, v);
  axpby(1 / stage.c, v, 0.0, z);
}

}  // namespace stiffly
