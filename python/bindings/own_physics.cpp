// Forces and whole systems written in Python. The classes that users derive from are in the package
// (own_physics.py); what stands here asks an object of theirs for its numbers.
#include "common.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::python {
namespace {

/// Entries (row, column, value) of a matrix, as the package hands them over.
struct Triplets {
  py::array_t<int, py::array::c_style | py::array::forcecast> rows, columns;
  Array values;

  explicit Triplets(const py::object& tuple) {
    const auto parts = tuple.cast<py::tuple>();
    rows = parts[0].cast<decltype(rows)>();
    columns = parts[1].cast<decltype(columns)>();
    values = parts[2].cast<Array>();
  }
  template <class Use>
  void each(const Use& use) const {
    for (py::ssize_t k = 0; k < values.size(); ++k) use(rows.data()[k], columns.data()[k], values.data()[k]);
  }
};

/// An object of the user's, let go of with the interpreter's lock, whatever thread does it.
class Owned {
 public:
  explicit Owned(py::object object) : object_(std::move(object)) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    const py::gil_scoped_acquire lock;
    object_ = py::object();
  }
  const py::object* operator->() const { return &object_; }

 private:
  py::object object_;
};

bool flag(const py::object& object, const char* name) { return object.attr(name).cast<bool>(); }

/// What calling Python takes, beside what is done there, s (effort.hpp).
constexpr double call_effort = 2e-5;

/// −∂f/∂x in two parts, and −∂f/∂v, each as triplets or None.
template <class Add>
void add_parts(const py::object& parts, Tangent& out, const Add& add) {
  const auto tuple = parts.cast<py::tuple>();
  BlockMatrix* const targets[] = {&out.stiffness, &out.circulatory, &out.damping};
  for (std::size_t i = 0; i < 3; ++i)
    if (!tuple[i].is_none()) add(Triplets(py::reinterpret_borrow<py::object>(tuple[i])), *targets[i]);
}

/// A force on particles. Python sees all of them in the user's order, as arrays of n rows.
class PythonForce final : public Force {
 public:
  PythonForce(const ParticleSystem& system, const py::object& object)
      : object_(object),
        name_(object.attr("name").cast<std::string>()),
        order_(system.order().begin(), system.order().end()),
        rank_(system.rank().begin(), system.rank().end()),
        velocity_(flag(object, "depends_on_velocity")),
        time_(flag(object, "depends_on_time")),
        circulatory_(flag(object, "circulatory")),
        keeps_spin_(flag(object, "keeps_angular_momentum")) {
    const py::object pairs = object.attr("_pairs")(order_.size());
    const auto rows = pairs.cast<py::array_t<int, py::array::c_style | py::array::forcecast>>();
    for (py::ssize_t k = 0; k + 1 < rows.size(); k += 2)
      pairs_.emplace_back(inner(rows.data()[k]), inner(rows.data()[k + 1]));
  }

  std::string name() const override { return name_; }
  double energy(const Configuration& q) const override {
    const py::gil_scoped_acquire lock;
    return object_->attr("_energy")(q.time, rows(q.x)).cast<double>();
  }
  void add_force(const Configuration& q, std::span<double> f) const override {
    const py::gil_scoped_acquire lock;
    const Array all = forces(q, q.v);
    for (std::size_t u = 0; u < 3 * q.free; ++u) f[u] += all.data()[at(u)];
  }
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const override {
    for (const auto& [i, j] : pairs_)
      if (i < static_cast<int>(free) && j < static_cast<int>(free)) pairs.emplace_back(i, j);
  }
  void attach(std::size_t, const BlockPattern&) override {}
  void add_tangent(const Configuration& q, Tangent& tangent) const override {
    const py::gil_scoped_acquire lock;
    add_parts(object_->attr("_tangent")(q.time, rows(q.x), rows(q.v)), tangent,
              [&](const Triplets& entries, BlockMatrix& matrix) { add(entries, q.free, matrix); });
  }
  // −Σ (f(x, v) − f(x, 0))·v
  ForcePower power(const Configuration& q) const override {
    const py::gil_scoped_acquire lock;
    const std::vector<double> still(q.v.size(), 0.0);
    const Array moving = forces(q, q.v), resting = forces(q, still);
    ForcePower out;
    for (std::size_t u = 0; u < q.v.size(); ++u) {
      const double power = -(moving.data()[at(u)] - resting.data()[at(u)]) * q.v[u];
      out.dissipated += power;
      if (u >= 3 * q.free) out.supports += power;
    }
    return out;
  }
  bool keeps_spin() const override { return keeps_spin_; }
  double effort_per_pair() const override {
    return effort::pair + call_effort / static_cast<double>(std::max<std::size_t>(1, pairs_.size()));
  }
  bool depends_on_velocity() const override { return velocity_; }
  bool depends_on_time() const override { return time_; }
  bool circulatory() const override { return circulatory_; }

 private:
  int inner(int particle) const {
    if (particle < 0 || static_cast<std::size_t>(particle) >= rank_.size())
      throw InputError("pairs() of " + name_ + " names particle " + std::to_string(particle) +
                       ", which does not exist");
    return rank_[static_cast<std::size_t>(particle)];
  }
  /// Where an entry of the inner order is in the user's.
  std::size_t at(std::size_t u) const { return 3 * static_cast<std::size_t>(order_[u / 3]) + u % 3; }
  py::array_t<double> rows(std::span<const double> inner_order) const {
    py::array_t<double> out({static_cast<py::ssize_t>(order_.size()), py::ssize_t{3}});
    for (std::size_t u = 0; u < inner_order.size(); ++u) out.mutable_data()[at(u)] = inner_order[u];
    return out;
  }
  Array forces(const Configuration& q, std::span<const double> v) const {
    return object_->attr("_force")(q.time, rows(q.x), rows(v)).cast<Array>();
  }
  void add(const Triplets& entries, std::size_t free, BlockMatrix& matrix) const {
    entries.each([&](int row, int column, double value) {
      const int i = rank_[static_cast<std::size_t>(row / 3)], j = rank_[static_cast<std::size_t>(column / 3)];
      if (std::max(i, j) >= static_cast<int>(free) || value == 0) return;
      const std::int64_t block = matrix.pattern().find(static_cast<std::size_t>(i), j);
      if (block < 0)
        throw InputError("tangent() of " + name_ + " couples particles " + std::to_string(row / 3) + " and " +
                         std::to_string(column / 3) + ", which its pairs() does not name");
      matrix.block(block)[3 * (row % 3) + column % 3] += value;
    });
  }

  Owned object_;
  std::string name_;
  std::vector<int> order_, rank_;
  std::vector<std::pair<int, int>> pairs_;  ///< inner order
  bool velocity_, time_, circulatory_, keeps_spin_;
};

BlockMatrix scalar_matrix(const std::shared_ptr<const BlockPattern>& pattern, const Triplets& entries,
                          const std::string& what) {
  BlockMatrix out(pattern);
  entries.each([&](int row, int column, double value) {
    if (value == 0) return;
    const std::int64_t position = pattern->find(static_cast<std::size_t>(row), column);
    if (position < 0)
      throw InputError(what + " has an entry at (" + std::to_string(row) + ", " + std::to_string(column) +
                       "), which its pattern() does not have");
    *out.block(position) += value;
  });
  return out;
}

/// A system whose equations are written in Python.
class PythonSystem final : public SecondOrderSystem {
 public:
  explicit PythonSystem(const py::object& object)
      : object_(object),
        name_(object.attr("name").cast<std::string>()),
        unknowns_(object.attr("unknowns").cast<std::size_t>()),
        velocity_(flag(object, "depends_on_velocity")),
        time_(flag(object, "depends_on_time")),
        passive_(flag(object, "passive")) {
    const auto places = object.attr("_pattern")().cast<py::tuple>();
    const auto rows = places[0].cast<std::vector<int>>(), columns = places[1].cast<std::vector<int>>();
    std::vector<std::pair<int, int>> pairs;
    for (std::size_t k = 0; k < rows.size(); ++k) pairs.emplace_back(rows[k], columns[k]);
    pattern_ = BlockPattern::symmetric(unknowns_, 1, std::move(pairs));
    const auto mass = object.attr("_mass")().cast<py::tuple>();
    mass_ = mass[0].cast<bool>() ? MassMatrix::diagonal(entries(mass[1].cast<Array>()))
                                 : MassMatrix::sparse(scalar_matrix(pattern_, Triplets(mass[1]), "the mass"));
  }

  std::size_t unknowns() const override { return unknowns_; }
  const MassMatrix& mass() const override { return mass_; }
  double potential_energy(double t, ConstVectorView x) const override {
    const py::gil_scoped_acquire lock;
    return object_->attr("_energy")(t, array(x)).cast<double>();
  }
  std::vector<std::string> dissipators() const override {
    return velocity_ ? std::vector{name_} : std::vector<std::string>{};
  }
  // With f(t, x, 0) = −∇V: ∂V/∂t is brought in, −(f(t, x, v) − f(t, x, 0))·v is dissipated.
  EnergyFlow energy_flow(const State& state) const override {
    EnergyFlow out = SecondOrderSystem::energy_flow(state);
    if (!velocity_) return out;
    Vector moving(unknowns_), resting(unknowns_), still(unknowns_);
    do_force(state.time, state.x(), state.v(), moving);
    do_force(state.time, state.x(), still, resting);
    axpy(-1.0, resting, moving);
    out.dissipated = {-dot(moving, state.v())};
    return out;
  }
  bool autonomous() const override { return !time_; }
  bool passive() const override { return !time_ && passive_; }
  bool conservative() const override { return !velocity_; }
  double force_effort() const override { return call_effort + SecondOrderSystem::force_effort(); }

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override {
    const py::gil_scoped_acquire lock;
    const auto made = object_->attr("_force")(t, array(x), array(v)).cast<Array>();
    copy(view(made), f);
  }
  void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const override {
    const py::gil_scoped_acquire lock;
    out.circulatory = {};
    out.damping = {};
    add_parts(object_->attr("_tangent")(t, array(x), array(v)), out,
              [&](const Triplets& entries, BlockMatrix& matrix) {
                matrix = scalar_matrix(pattern_, entries, "tangent() of " + name_);
              });
  }

 private:
  static py::array_t<double> array(ConstVectorView x) { return array_of(host(x)); }

  Owned object_;
  std::string name_;
  std::size_t unknowns_;
  bool velocity_, time_, passive_;
  std::shared_ptr<const BlockPattern> pattern_;
  MassMatrix mass_;
};

}  // namespace

std::unique_ptr<SecondOrderSystem> make_own_system(const py::object& equations) {
  return std::make_unique<PythonSystem>(equations);
}

void add_own_force(ParticleSystem& system, const py::object& force) {
  system.add(std::make_unique<PythonForce>(system, force));
}

SystemPointer as_system(const py::object& object) {
  if (py::isinstance<SecondOrderSystem>(object)) return object.cast<SystemPointer>();
  return make_own_system(object);
}

void add_own_physics(py::module_& m) {
  m.def("own_system", &as_system, py::arg("equations"),
        "The system of an object of a class derived from stiffly.Equations.");
}

}  // namespace stiffly::python
